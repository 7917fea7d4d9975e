import { afterAll, beforeAll, expect, test } from 'vitest';
import type { BackendServer, RouteBackend } from '../../../src/router/model.ts';
import { getTls, headerAtPod, type Pod, seen, startPod } from '../../helpers/router/pods.ts';
import { routeBackend } from '../../helpers/router/route-sets.ts';
import { type Answer, get, type RunningRouter, startRouter } from '../../helpers/router/running-router.ts';

/** The observable contract of a router: weights, cookies, lists and headers, on a real HAProxy. */
const pods: Pod[] = [];
let router: RunningRouter;
const policies = ['append', 'replace', 'if-none', 'never'] as const;

beforeAll(async () => {
  pods.push(await startPod('a'), await startPod('b'));
  const [a, b] = pods.map(({ server }) => server);
  if (a === undefined || b === undefined) throw new Error('no pods');
  const weighted = (server: BackendServer, weight: number): BackendServer => ({ ...server, weight });
  const sticky = { balance: 'roundrobin', servers: [a, b] } as const;
  const route = (key: string, more: Partial<RouteBackend>) =>
    routeBackend({ key: `n:${key}`, host: `${key}.test`, servers: [a], ...more });
  const many = Array.from({ length: 62 }, (_, index) => `10.0.${index}.0/24`);
  router = await startRouter(
    [
      route('weights', { balance: 'roundrobin', servers: [weighted(a, 85), weighted(b, 256)] }),
      route('zero', { balance: 'roundrobin', servers: [weighted(a, 0), weighted(b, 1)] }),
      route('sticky', { ...sticky, cookie: { name: 'c1', secure: false } }),
      route('secure', {
        ...sticky,
        kind: 'edge',
        insecure: 'Redirect',
        cookie: { name: 'c2', secure: true, sameSite: 'Lax' },
      }),
      route('free', sticky),
      route('listed', { allowlist: ['127.0.0.0/8', 'fd00::/8'] }),
      route('shut', { allowlist: ['10.0.0.0/8'] }),
      route('longlist', { allowlist: [...many, '127.0.0.1'] }),
      route('longshut', { allowlist: many }),
      route('limited', { rateLimit: { httpPer10s: 3 } }),
      route('one-at-a-time', { rateLimit: { concurrentTcp: 1 } }),
      ...policies.map((forwarded) => route(forwarded, { forwarded })),
      route('hsts', { kind: 'edge', insecure: 'Allow', hsts: 'max-age=300;includeSubDomains' }),
      route('rewrite', { path: '/shop', rewriteTarget: '/' }),
      route('deep', { path: '/shop', rewriteTarget: '/v1/a%b' }),
      route('doubled', { path: '/shop', rewriteTarget: '/v1/a%%b' }),
      route('long', { path: `/${'a'.repeat(4_095)}`, rewriteTarget: '/' }),
      route('headers', {
        headers: {
          request: [
            { kind: 'set', name: 'X-Text', value: `it's 100% "$HOME" \\ #` },
            { kind: 'set', name: 'X-Of', value: '%[req.hdr(X-Client),lower]' },
            { kind: 'set', name: 'X-Literal', value: '%%[req.hdr(X-Client)] %%%[req.hdr(X-Client)]' },
            { kind: 'delete', name: 'X-Gone' },
            { kind: 'set', name: 'Host', value: 'inside.test' },
          ],
          response: [
            { kind: 'set', name: 'X-Answer', value: 'yes' },
            { kind: 'delete', name: 'Server' },
          ],
        },
      }),
    ],
    { ROUTER_HTTP_RESPONSE_HEADERS: 'X-Site:blue:Set' },
  );
});
afterAll(async () => {
  await router[Symbol.asyncDispose]();
  for (const pod of pods) pod[Symbol.dispose]();
});

const ask = (host: string, path = '/', headers: readonly string[] = []) =>
  get(router.httpPort, `${host}.test`, path, headers);
const podsOf = async (host: string, times: number, headers: readonly string[] = []) => {
  const found: string[] = [];
  for (let index = 0; index < times; index += 1) found.push(seen(await ask(host, '/', headers)).pod);
  return found;
};

test('15: HAProxy has the weights, and a server with weight 0 gets no new client', async () => {
  const rows = (await router.ask('show servers state be_http:n:weights')).split('\n').slice(2, 4);
  expect(rows.map((row) => row.split(' ')[7])).toEqual(['85', '256']);
  expect(new Set(await podsOf('zero', 6))).toEqual(new Set(['b']));
});

test('16: a cookie returns a client to its pod', async () => {
  const { headers } = await ask('sticky');
  expect(headers['set-cookie']).toMatch(/^c1=[0-9a-f]{32}; path=\/; HttpOnly$/);
  const cookie = `Cookie: ${headers['set-cookie']?.split(';')[0]}`;
  expect(new Set(await podsOf('sticky', 4, [cookie])).size).toBe(1);
  expect(new Set(await podsOf('free', 4)).size).toBe(2);
  expect((await ask('free')).headers['set-cookie']).toBeUndefined();
  const secure = await getTls(router.httpsPort, 'secure.test', 'secure.test', '/');
  expect(secure.headers['set-cookie']).toMatch(/^c2=[0-9a-f]{32}; path=\/; HttpOnly; Secure; SameSite=Lax$/);
});

test('19: an allowlist admits its sources and closes all other connections', async () => {
  expect((await ask('listed')).status).toBe(200);
  expect((await ask('longlist')).status).toBe(200);
  for (const host of ['shut', 'longshut'])
    expect(await ask(host).catch(() => 'closed')).not.toMatchObject({ status: 200 });
});

test.each([
  ['limited', 3],
  ['one-at-a-time', 5],
])('a source gets as many requests as its limit allows, and no more: %s', async (name, allowed) => {
  const found: number[] = [];
  for (let index = 0; index < 5; index += 1)
    found.push((await ask(name).catch(() => undefined))?.status || 0);
  expect(found.map((status) => status === 200)).toEqual(found.map((_, index) => index < allowed));
});

const forwarded = (answer: Answer) =>
  ['x-forwarded-for', 'x-forwarded-host', 'x-forwarded-port', 'x-forwarded-proto', 'forwarded'].map((name) =>
    headerAtPod(answer, name),
  );

test.each(policies)('25: forwarded headers with the policy "%s"', async (policy) => {
  const claimed = ['X-Forwarded-For: 1.2.3.4', 'X-Forwarded-Proto: gopher', 'Forwarded: for=1.2.3.4'];
  const port = `${router.httpPort}`;
  const host = `${policy}.test`;
  const now = `for=127.0.0.1;host=${host};proto=http`;
  const expected = {
    append: [['1.2.3.4', '127.0.0.1'], [host], [port], ['gopher', 'http'], ['for=1.2.3.4', now]],
    replace: [['127.0.0.1'], [host], [port], ['http'], [now]],
    'if-none': [['1.2.3.4'], [host], [port], ['gopher'], ['for=1.2.3.4']],
    never: [['1.2.3.4'], [], [], ['gopher'], ['for=1.2.3.4']],
  }[policy];
  expect(forwarded(await ask(policy, '/', claimed))).toEqual(expected);
});

test.each(['append', 'replace', 'if-none'])(
  '25: Forwarded has a host with a port in quotes (RFC 7239), with the policy "%s"',
  async (policy) => {
    const host = `${policy}.test:${router.httpPort}`;
    const answer = await get(router.httpPort, host, '/');
    expect(headerAtPod(answer, 'forwarded')).toEqual([`for=127.0.0.1;host="${host}";proto=http`]);
  },
);

test("25: HSTS is sent with TLS, and every response has the router's headers", async () => {
  const { headers } = await getTls(router.httpsPort, 'hsts.test', 'hsts.test', '/');
  expect(headers).toMatchObject({
    'strict-transport-security': 'max-age=300;includeSubDomains',
    'x-site': 'blue',
  });
});

test('25: header actions of a route are applied exactly', async () => {
  const answer = await ask('headers', '/', ['X-Client: LOUD', 'X-Gone: here']);
  const at = (name: string) => headerAtPod(answer, name);
  expect([at('x-text'), at('x-of'), at('x-gone')]).toEqual([[`it's 100% "$HOME" \\ #`], ['loud'], []]);
  expect(at('x-literal')).toEqual(['%[req.hdr(X-Client)] %LOUD']);
  expect(answer.headers).toMatchObject({ 'x-answer': 'yes' });
  expect(answer.headers['server']).toBeUndefined();
});

test("25: a client's own claims about its certificate or a proxy do not reach a pod", async () => {
  const answer = await ask('never', '/', ['X-SSL-Client-CN: admin', 'X-SSL: 1', 'Proxy: http://evil.test']);
  expect(['x-ssl-client-cn', 'x-ssl', 'proxy'].map((name) => headerAtPod(answer, name))).toEqual([
    [],
    [],
    [],
  ]);
});

test("a rewrite target replaces the route's path", async () => {
  const url = async (host: string, path: string) => seen(await ask(host, path)).url;
  expect(await url('rewrite', '/shop/a?b=/shop')).toBe('/a?b=/shop');
  expect(await url('rewrite', '/shop')).toBe('/');
  expect(await url('deep', '/shop/x')).toBe('/v1/a%b/x');
});

test('26: a route may set the Host that its pods see', async () => {
  expect(headerAtPod(await ask('headers'), 'host')).toEqual(['inside.test']);
});

test('26: %% in a rewrite target is one %', async () => {
  expect(seen(await ask('doubled', '/shop/x')).url).toBe('/v1/a%b/x');
});

test('26: a path of 4,096 characters is found and rewritten', async () => {
  const path = `/${'a'.repeat(4_095)}`;
  expect(seen(await ask('long', `${path}/x`)).url).toBe('/x');
  expect((await ask('long', `${path}x`)).status).toBe(503);
});

test("26: a request without a route gets openshift-router's headers and hawser's page", async () => {
  const answer = await ask('nobody');
  expect(answer.status).toBe(503);
  expect(answer.body).toContain('<h1>Application is not available</h1>');
  expect(answer.headers).toMatchObject({
    pragma: 'no-cache',
    'cache-control': 'private, max-age=0, no-cache, no-store',
    'content-type': 'text/html',
  });
});
