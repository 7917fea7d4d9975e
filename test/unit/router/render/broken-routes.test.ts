import { expect, test } from 'vitest';
import { createTemplateRenderer } from '../../../../src/router/render/render-router.ts';
import { refusalOf } from '../../../../src/router/render/unprintable.ts';
import { createAuthority } from '../../../helpers/certificates.ts';
import { createRouterRenderer, renderRouter } from '../../../helpers/router/render-router.ts';
import { routeBackend } from '../../../helpers/router/route-sets.ts';
import { routerSettings, routerTemplate } from '../../../helpers/router/router-settings.ts';
import { fileFolder } from '../../../helpers/test-folder.ts';

const scratch = fileFolder();
const { key, cert } = createAuthority(scratch).issue({ commonName: 'router' });
const good = routeBackend({ host: 'good.test', key: 'ns:good' });

test.each([
  ...(['balance', 'timeouts', 'servers', 'insecure', 'certificate', 'verify', 'allowlist'] as const).map(
    (field) => [field, 'hash'] as const,
  ),
  ['insecure', 'regex'] as const,
])(
  "an exception when a route's %s is read for printing costs only that route, with maps for %s",
  (field, lookup) => {
    const get = () => {
      throw new Error(`no ${field}`);
    };
    const odd = Object.defineProperty({ ...routeBackend({ host: 'odd.test', key: 'ns:odd' }) }, field, {
      get,
    });
    const render = (...backends: readonly (typeof good)[]) =>
      renderRouter(routerTemplate, { ...routerSettings(), lookup }, { backends }, `${key}${cert}`);
    const outcome = render(good, odd);
    const expected = render(good);
    if (outcome.kind === 'failed' || expected.kind === 'failed') throw new Error('it was not rendered');
    expect(outcome.rendered).toEqual(expected.rendered);
    expect(outcome.leftOut.map((each) => [each.key, refusalOf(each)])).toEqual([
      ['ns:odd', { reason: 'InternalError', message: `the router failed on this route: no ${field}` }],
    ]);
  },
);

test.each(['servers', 'certificate'])(
  "the same holds for an administrator's template, which is rendered in a thread, reading %s",
  async (field) => {
    const odd = Object.defineProperty({ ...routeBackend({ host: 'odd.test', key: 'ns:odd' }) }, field, {
      get: () => {
        throw new Error(`no ${field}`);
      },
    });
    const thread = { render: async () => ({ kind: 'rendered', text: 'printed' }) as const };
    const render = createTemplateRenderer(routerSettings(), thread);
    const template = { ...routerTemplate, isCustom: true } as const;
    expect(await render(template, { backends: [good, odd] }, `${key}${cert}`)).toMatchObject({
      rendered: { text: 'printed' },
      leftOut: [{ key: 'ns:odd', problem: `no ${field}`, isException: true }],
    });
  },
);

test('failures caused by an unreadable default certificate end with it', () => {
  const odd = Object.defineProperty({ ...routeBackend({ host: 'odd.test', key: 'ns:odd' }) }, 'servers', {
    get: () => {
      throw new Error('no servers');
    },
  });
  const render = createRouterRenderer(routerSettings());
  expect(() => render(routerTemplate, { backends: [good, odd] }, 'no PEM')).toThrow();
  expect(render(routerTemplate, { backends: [good, odd] }, `${key}${cert}`)).toMatchObject({
    leftOut: [{ key: 'ns:odd' }],
  });
});

test.each([...'+/@,%=~[]'])(
  'a route with "%s" in a name that HAProxy does not accept there is left out',
  (odd) => {
    const server = { name: `pod:a${odd}`, address: '10.0.0.1', port: 80, weight: 1, h2c: false };
    const backends = [
      good,
      routeBackend({ host: 'server.test', key: 'ns:server', servers: [server] }),
      routeBackend({ host: 'backend.test', key: 'ns:backend', name: `be_http:ns:a${odd}` }),
    ];
    const outcome = renderRouter(routerTemplate, routerSettings(), { backends }, `${key}${cert}`);
    expect(outcome).toMatchObject({
      leftOut: [
        { key: 'ns:server', problem: 'the name of a server' },
        { key: 'ns:backend', problem: 'its name' },
      ],
    });
  },
);
