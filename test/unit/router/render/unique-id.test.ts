import { expect, test } from 'vitest';
import { selfSigned } from '../../../../src/router/render/default-certificate.ts';
import { print } from '../../../helpers/router/printed.ts';
import { routerSettings } from '../../../helpers/router/router-settings.ts';

const certificate = selfSigned('default', new Date());

test.each([
  [{}, []],
  [{ ROUTER_UNIQUE_ID_FORMAT: '%{+X}o%rt' }, ["unique-id-format '%{+X}o%rt'"]],
  [
    { ROUTER_UNIQUE_ID_HEADER_NAME: 'X-Id' },
    ["unique-id-format '%{+X}o %ci:%cp_%fi:%fp_%Ts_%rt:%pid'", 'unique-id-header X-Id'],
  ],
  [
    { ROUTER_UNIQUE_ID_HEADER_NAME: 'X-Id', ROUTER_UNIQUE_ID_FORMAT: '%rt' },
    ["unique-id-format '%rt'", 'unique-id-header X-Id'],
  ],
])('with %j, either setting of the request id has an effect', (env, lines) => {
  const { text } = print(routerSettings(env), [], certificate);
  const found = text.match(/unique-id-.*/g) ?? [];
  expect([...new Set(found)]).toEqual(lines);
});
