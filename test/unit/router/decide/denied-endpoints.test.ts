import { expect, test } from 'vitest';
import { createDecider } from '../../../../src/router/decide/decide.ts';
import { readObjectList } from '../../../../src/router/follow/read-object-list.ts';
import { routerSettings } from '../../../helpers/router/router-settings.ts';
import { routeObject, sliceObject } from '../objects-of.ts';

const NODE = '10.0.0.1';
const own = { addresses: new Set([NODE]), ports: new Set([80, 1936, 1937]) };
const ports = [1936, 8080].map((port) => ({ name: `p${port}`, port }));
const objects = readObjectList(
  JSON.stringify([routeObject({ name: 'a' }), { ...sliceObject('web', 2), ports }]),
).objects;
const serversOf = (env: Record<string, string>, places?: typeof own) => {
  const [backend] = createDecider(routerSettings(env), places)(objects).model.backends;
  return {
    servers: backend?.servers.map(({ address, port }) => `${address}:${port}`),
    remarks: backend?.remarks,
  };
};

test("a route gets no server at the page of the router's own node (M1)", () => {
  expect(serversOf({}, own)).toEqual({
    servers: ['10.0.0.1:8080', '10.0.0.2:1936', '10.0.0.2:8080'],
    remarks: ['an endpoint of service web is not used: the router itself'],
  });
});

test('an endpoint in a network of ROUTER_DENIED_ENDPOINTS is not used (M4)', () => {
  expect(serversOf({ ROUTER_DENIED_ENDPOINTS: '10.0.0.1, fd00::/8' })).toEqual({
    servers: ['10.0.0.2:1936', '10.0.0.2:8080'],
    remarks: ['an endpoint of service web is not used: an address in a denied network'],
  });
});

test.each(['10.0.0.0/33', '10.0.0', 'example.com', '10.0.0.0/8/8', '::ffff:10.0.0.1'])(
  'ROUTER_DENIED_ENDPOINTS=%s is an error',
  (text) => {
    expect(() => routerSettings({ ROUTER_DENIED_ENDPOINTS: text })).toThrow(
      'expected an address or a network',
    );
  },
);
