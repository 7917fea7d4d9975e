import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { RouteBackend, RouteCertificate } from '../../../src/router/model.ts';
import { createAuthority, type IssuedCertificate } from '../../helpers/certificates.ts';
import { getTls, headerAtPod, type Pod, seen, startPod } from '../../helpers/router/pods.ts';
import { routeBackend } from '../../helpers/router/route-sets.ts';
import { get, type RunningRouter, startRouter } from '../../helpers/router/running-router.ts';
import { fileFolder } from '../../helpers/test-folder.ts';

/** The observable contract of a router: every kind of route and policy, hosts and wildcards, on a real HAProxy. */
const folder = fileFolder();
const authority = createAuthority(join(folder, 'ca'));
const other = createAuthority(join(folder, 'other'));
const pem = ({ key, cert }: IssuedCertificate): RouteCertificate => ({ pem: `${key}${cert}`, http2: false });
const podCertificate = authority.issue({ commonName: 'pod', dnsNames: ['web.shop.svc'] });
const pods: Pod[] = [];
let router: RunningRouter;

/** Servers as made from a service's endpoints: a single pod starts with its checks off. */
function withChecks(route: RouteBackend): RouteBackend {
  const isAlone = route.servers.length === 1;
  const checks = { checkIntervalMs: 5_000, ...(isAlone && ({ isAlone } as const)) };
  return { ...route, servers: route.servers.map((server) => ({ ...server, ...checks })) };
}

beforeAll(async () => {
  pods.push(await startPod('a'), await startPod('b'), await startPod('tls', podCertificate));
  const [a, b, tls] = pods.map(({ server }) => server);
  if (a === undefined || b === undefined || tls === undefined) throw new Error('no pods');
  const reencrypt = { kind: 'reencrypt', servers: [tls] } as const;
  router = await startRouter(
    [
      routeBackend({ key: 'shop:web', host: 'web.test', servers: [a, b] }),
      routeBackend({
        key: 'shop:edge',
        host: 'edge.test',
        kind: 'edge',
        servers: [a],
        certificate: pem(authority.issue({ commonName: 'edge.test' })),
      }),
      routeBackend({ key: 'shop:plain', host: 'plain.test', kind: 'edge', servers: [a] }),
      routeBackend({ key: 'shop:allow', host: 'allow.test', kind: 'edge', insecure: 'Allow', servers: [a] }),
      routeBackend({
        key: 'shop:redirect',
        host: 'redirect.test',
        kind: 'edge',
        insecure: 'Redirect',
        servers: [a],
      }),
      routeBackend({ key: 'shop:tcp', host: 'tcp.test', kind: 'passthrough', servers: [tls] }),
      routeBackend({
        ...reencrypt,
        key: 'shop:re',
        host: 're.test',
        verify: { kind: 'route-ca', pem: authority.cert },
      }),
      routeBackend({
        ...reencrypt,
        key: 'shop:bad',
        host: 'bad.test',
        verify: { kind: 'route-ca', pem: other.cert },
      }),
      routeBackend({
        ...reencrypt,
        key: 'shop:svc',
        host: 'svc.test',
        verify: { kind: 'default-ca' },
        servers: [{ ...tls, verifyHost: 'web.shop.svc' }],
      }),
      routeBackend({
        ...reencrypt,
        key: 'shop:not',
        host: 'not.test',
        verify: { kind: 'default-ca' },
        servers: [{ ...tls, verifyHost: 'db.shop.svc' }],
      }),
      routeBackend({ key: 'shop:wild', host: 'apps.test', wildcard: true, servers: [a] }),
      routeBackend({ key: 'shop:own', host: 'own.apps.test', servers: [b] }),
      routeBackend({ key: 'shop:sub', host: 'web.test', path: '/sub', servers: [b] }),
      routeBackend({ key: 'shop:api', host: 'api.test', path: '/api', servers: [a] }),
      routeBackend({ key: 'shop:below', host: 'web.test', path: '/below/', servers: [b] }),
    ].map(withChecks),
    { ROUTER_ALLOW_WILDCARD_ROUTES: 'true', DEFAULT_DESTINATION_CA_PATH: authority.certFile },
  );
});
afterAll(async () => {
  await router[Symbol.asyncDispose]();
  for (const pod of pods) pod[Symbol.dispose]();
});

test('1: a request without TLS reaches one of the pods', async () => {
  expect(['a', 'b']).toContain(seen(await get(router.httpPort, 'web.test', '/')).pod);
  expect(await router.ask('show backend')).toContain('be_http:shop:web\n');
  expect((await get(router.httpPort, 'nobody.test', '/')).status).toBe(503);
});

test("2: edge serves the route's certificate or the default one, and the pod gets no TLS", async () => {
  const answer = await getTls(router.httpsPort, 'edge.test', 'edge.test', '/x');
  expect([answer.commonName, seen(answer).tls]).toEqual(['edge.test', false]);
  expect(headerAtPod(answer, 'x-forwarded-proto')).toEqual(['https']);
  expect((await getTls(router.httpsPort, 'plain.test', 'plain.test', '/')).commonName).toBe('default');
  const nameless = await getTls(router.httpsPort, undefined, 'plain.test', '/');
  expect([nameless.commonName, nameless.status]).toEqual(['default', 200]);
});

test("3: passthrough serves the pod's own certificate", async () => {
  const answer = await getTls(router.httpsPort, 'TCP.test', 'tcp.test', '/any');
  expect([answer.commonName, seen(answer).pod]).toEqual(['pod', 'tls']);
  expect(readFileSync(join(router.folder, 'maps/tls.map'), 'utf8')).toBe('tcp.test be_tcp:shop:tcp\n');
});

test("4: reencrypt verifies the pod by the route's CA, or the default CA and the service's name", async () => {
  const ask = async (host: string) => (await getTls(router.httpsPort, host, host, '/')).status;
  expect(seen(await getTls(router.httpsPort, 're.test', 're.test', '/')).tls).toBe(true);
  expect([await ask('bad.test'), await ask('svc.test'), await ask('not.test')]).toEqual([503, 200, 503]);
});

test('5: for clients without TLS the policy decides: 503, the pod, or a redirect without port', async () => {
  const ask = (host: string) => get(router.httpPort, `${host}:${router.httpPort}`, '/a/b?c=d&e');
  expect((await ask('edge.test')).status).toBe(503);
  expect((await ask('allow.test')).status).toBe(200);
  const { status, headers } = await ask('REDIRECT.test');
  expect([status, headers['location']]).toEqual([302, 'https://redirect.test/a/b?c=d&e']);
});

test('13: a path ends at a slash, and hosts are compared without case, port and trailing dot', async () => {
  const pod = async (path: string, host = 'web.test') => seen(await get(router.httpPort, host, path)).pod;
  const found = [
    await pod('/sub'),
    await pod('/sub/'),
    await pod('/sub/x', 'WEB.test.:8080'),
    await pod('/below/x'),
  ];
  expect(found).toEqual(['b', 'b', 'b', 'b']);
  const before = await requestsOf('be_http:shop:web');
  for (const path of ['/subpar', '/below', '/sub/']) await get(router.httpPort, 'web.test', path);
  expect((await requestsOf('be_http:shop:web')) - before).toBe(2);
});

const noHosts = [
  'api.test/api',
  'web.test/x;for=6.6.6.6;proto=https',
  'web.test,web.test',
  'web.test:80:80',
  'web.test"',
];
test.each(noHosts)(
  '13: an invalid Host, %s, is refused, so that it never becomes part of a path',
  async (host) => {
    expect((await get(router.httpPort, host, '/admin')).status).toBe(400);
    expect((await getTls(router.httpsPort, 'plain.test', host, '/admin')).status).toBe(400);
  },
);

test('13: a host may end with a colon and no port', async () => {
  const answer = await get(router.httpPort, 'api.test:', '/api');
  expect([answer.status, headerAtPod(answer, 'host')]).toEqual([200, ['api.test']]);
});

async function requestsOf(backend: string): Promise<number> {
  const rows = (await router.ask('show stat')).split('\n');
  return Number(rows.find((row) => row.startsWith(`${backend},BACKEND`))?.split(',')[7]);
}

test('14: a wildcard matches one label, and an exact host comes first', async () => {
  expect(seen(await get(router.httpPort, 'foo.apps.test', '/')).pod).toBe('a');
  expect((await get(router.httpPort, 'a.b.apps.test', '/')).status).toBe(503);
  expect(seen(await get(router.httpPort, 'own.apps.test', '/')).pod).toBe('b');
});
