import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { RouteBackend } from '../../../../src/router/model.ts';
import { backendWith, decided, routeObject, sliceObject } from '../objects-of.ts';

const haproxy = (name: string) => `haproxy.router.openshift.io/${name}`;
const reencrypt = { tls: { termination: 'reencrypt' } };
const connections = ({ servers }: RouteBackend) => servers[0]?.maxConnections;

describe('a backend', () => {
  test.each<[string, string, (backend: RouteBackend) => unknown, unknown]>([
    ['pod-concurrent-connections', '50', connections, 50],
    ['pod-concurrent-connections', '-1', connections, undefined],
    ['rewrite-target', '/new', (backend) => backend.rewriteTarget, '/new'],
    ['rewrite-target', 'new', (backend) => backend.rewriteTarget, undefined],
    ['set-forwarded-headers', 'never', (backend) => backend.forwarded, 'never'],
    ['set-forwarded-headers', 'often', (backend) => backend.forwarded, 'append'],
    ['h1-adjust-case', 'true', (backend) => backend.adjustCase, true],
    ['hsts_header', 'max-age=1;preload', (backend) => backend.hsts, 'max-age=1;preload'],
    ['hsts_header', 'max-age=1; other', (backend) => backend.hsts, undefined],
  ])('with %s %j', (name, value, of, expected) => {
    expect(of(backendWith({ [haproxy(name)]: value }, reencrypt))).toBe(expected);
  });

  test('limits rates only on request', () => {
    const limits = {
      [haproxy('rate-limit-connections.concurrent-tcp')]: '10',
      [haproxy('rate-limit-connections.rate-tcp')]: 'x',
      [haproxy('rate-limit-connections.rate-http')]: '30',
    };
    expect(backendWith(limits).rateLimit).toBeUndefined();
    expect(backendWith({ ...limits, [haproxy('rate-limit-connections')]: 'true' }).rateLimit).toEqual({
      concurrentTcp: 10,
      httpPer10s: 30,
    });
  });

  test('checks its pods only if there are several', () => {
    const one = decided([routeObject({ name: 'a' }), sliceObject('web', 1)]).model.backends[0];
    expect(one?.servers[0]).toMatchObject({ checkIntervalMs: 5_000, isAlone: true });
    expect(backendWith({}).servers[0]).toMatchObject({ checkIntervalMs: 5_000 });
    expect(backendWith({}).servers[0]).not.toHaveProperty('isAlone');
    const asked = { 'router.openshift.io/haproxy.health.check.interval': '2s' };
    expect(backendWith(asked).servers[0]?.checkIntervalMs).toBe(2_000);
  });

  test.each(['1us', '1', '999ms'])(
    'checks its pods at most once per second, whatever %s asks for',
    (text) => {
      const name = 'router.openshift.io/haproxy.health.check.interval';
      const backend = backendWith({ [name]: text });
      expect(backend.servers[0]?.checkIntervalMs).toBe(1_000);
      expect(backend.remarks).toContain(
        `${name}: 1s is used instead of ${text}, since it is the shortest interval`,
      );
    },
  );

  test('leaves out a header of thousands of converters, with a remark', () => {
    const value = `%[req.hdr(a)${',lower'.repeat(2_720)}]`;
    const request = [{ name: 'a', action: { type: 'Set', set: { value } } }];
    const backend = backendWith({}, { httpHeaders: { actions: { request } } });
    expect(backend.headers.request).toEqual([]);
    expect(backend.remarks).toEqual([
      'spec.httpHeaders.actions.request[0]: ignored, an expression has 2720 converters, expected at most 2',
    ]);
  });

  test('has at most twenty remarks on its annotations and headers, and says how many more there are', () => {
    const annotations = Object.fromEntries(
      Array.from({ length: 11_000 }, (_, index) => [haproxy(`unknown-${10_000 + index}`), 'x']),
    );
    const request = [{ name: 'cookie', action: { type: 'Delete' } }];
    const spec = { to: { name: 'gone' }, httpHeaders: { actions: { request } } };
    const { remarks } = backendWith(annotations, spec);
    expect(remarks).toEqual([
      ...Array.from({ length: 20 }, (_, index) => `${haproxy(`unknown-${10_000 + index}`)}: has no effect`),
      'and 10981 more',
      'service gone has no ready endpoints',
    ]);
  });

  test("verifies pods by the route's CA, else by the service's name, else not at all", () => {
    expect(backendWith({}, reencrypt).verify).toEqual({ kind: 'none' });
    const spec = { ...reencrypt, alternateBackends: [{ name: 'beta' }] };
    const objects = [routeObject({ name: 'a', spec }), sliceObject('web', 1), sliceObject('beta', 1, 1)];
    const [backend] = decided(objects, { defaultDestinationCa: '/ca.crt' }).model.backends;
    expect(backend?.verify).toEqual({ kind: 'default-ca' });
    expect(backend?.servers.map(({ verifyHost }) => verifyHost)).toEqual(['beta.shop.svc', 'web.shop.svc']);
  });

  test('speaks HTTP/2 without TLS to pods that declare it', () => {
    const slice = sliceObject('web', 1, 0, { appProtocol: 'h2c' });
    expect(decided([routeObject({ name: 'a' }), slice]).model.backends[0]?.servers[0]?.h2c).toBe(true);
  });

  test('speaks HTTP/1 to a pod if two slices disagree, in any order', () => {
    const slices = [
      sliceObject('web', 1, 0, { appProtocol: 'h2c' }),
      { ...sliceObject('web', 1), metadata: { ...sliceObject('web', 1).metadata, name: 'web-y' } },
    ];
    for (const objects of [slices, slices.toReversed()]) {
      const { servers } = decided([routeObject({ name: 'a' }), ...objects]).model.backends[0] ?? {};
      expect(servers?.map(({ h2c }) => h2c)).toEqual([false]);
    }
  });

  test('wakes an idled service by its cluster IP, without a health check', () => {
    const annotations = { 'idling.alpha.openshift.io/idled-at': '2026-01-01T00:00:00Z' };
    const ports = [
      { name: 'a', port: 80 },
      { name: 'b', port: 81 },
    ];
    const service = {
      kind: 'Service',
      metadata: { name: 'web', namespace: 'shop', annotations },
      spec: { clusterIP: '172.30.0.9', ports },
    };
    const [backend] = decided([routeObject({ name: 'a' }), service]).model.backends;
    expect(backend?.servers.map(({ name, checkIntervalMs }) => [name, checkIntervalMs])).toEqual([
      ['ept:web:a:172.30.0.9:80', undefined],
      ['ept:web:b:172.30.0.9:81', undefined],
    ]);
    const awake = decided([routeObject({ name: 'a' }), service, sliceObject('web', 1)]);
    expect(awake.model.backends[0]?.servers.map(({ address }) => address)).toEqual(['10.0.0.1']);
  });

  test('has each endpoint once, even if Endpoints and two slices list it', () => {
    const endpoints = {
      kind: 'Endpoints',
      metadata: { name: 'web', namespace: 'shop' },
      subsets: [{ addresses: [{ ip: '10.0.0.1' }], ports: [{ name: 'http', port: 8080 }] }],
    };
    const slice = sliceObject('web', 1);
    const again = { ...slice, metadata: { ...slice.metadata, name: 'web-y' } };
    const names = (...objects: readonly object[]) =>
      decided([routeObject({ name: 'a' }), ...objects]).model.backends[0]?.servers.map(({ name }) => name);
    expect(names(endpoints, slice, again)).toEqual(['pod:web-1:web:http:10.0.0.1:8080']);
    expect(names(endpoints)).toEqual(['ept:web:http:10.0.0.1:8080']);
  });

  test('leaves out an endpoint on the node itself, with a remark', () => {
    const slice = { ...sliceObject('web', 1), endpoints: [{ addresses: ['127.0.0.1'] }] };
    expect(decided([routeObject({ name: 'a' }), slice]).model.backends[0]).toMatchObject({
      servers: [],
      remarks: [
        'an endpoint of service web is not used: a loopback address',
        'service web has no ready endpoints',
      ],
    });
  });

  test('changes headers as requested, except reserved ones', () => {
    const set = (name: string, value: string) => ({ name, action: { type: 'Set', set: { value } } });
    const actions = {
      request: [
        set('X-A', '%[req.hdr(host)]'),
        set('Host', 'x'),
        { name: 'X-B', action: { type: 'Delete' } },
      ],
      response: [
        set('X-C', 'a\r\nSet-Cookie: x'),
        set('Content-Length', '3'),
        set('Content-Security-Policy', "default-src 'self'"),
      ],
    };
    const backend = backendWith({}, { httpHeaders: { actions } });
    expect(backend.headers).toEqual({
      request: [
        { kind: 'set', name: 'X-A', value: '%[req.hdr(host)]' },
        { kind: 'set', name: 'Host', value: 'x' },
        { kind: 'delete', name: 'X-B' },
      ],
      response: [{ kind: 'set', name: 'Content-Security-Policy', value: "default-src 'self'" }],
    });
    expect(backend.remarks).toHaveLength(2);
  });

  test('has a remark for an annotation without effect', () => {
    expect(backendWith({ 'router.openshift.io/pool-size': '3' }).remarks).toEqual([
      'router.openshift.io/pool-size: has no effect',
    ]);
  });
});

const piece = fc.oneof(
  fc.constantFrom('\n', '"', "'", '\\', ';', ' ', '%', '#', '/', '5s', 'a'),
  fc.string(),
);
const hostile = fc.array(piece, { maxLength: 5 }).map((parts) => parts.join(''));
const read = ['balance', 'timeout', 'ip_allowlist', 'rewrite-target', 'set-forwarded-headers'].map(haproxy);
const annotations = fc.dictionary(fc.constantFrom(...read, 'router.openshift.io/cookie_name'), hostile);

test("no tenant's text in a model ends a line, an entry, a word or a command", () => {
  const paths = hostile.map((text) => `/${text}`);
  fc.assert(
    fc.property(annotations, hostile, paths, hostile, hostile, (given, host, path, pod, portName) => {
      const target = { addresses: [pod, '10.0.0.9'], targetRef: { kind: 'Pod', name: pod } };
      const objects = [
        sliceObject('web', 1, 0, { name: portName }),
        { ...sliceObject('beta', 1), endpoints: [target] },
        routeObject({ name: 'a', annotations: given, spec: { path } }),
        routeObject({ name: 'b', host, annotations: given, spec: { to: { name: 'beta' } } }),
        routeObject({ name: 'c', host: 'c.example.com', spec: { alternateBackends: [{ name: 'beta' }] } }),
      ].map((object, index) => ({ ...object, metadata: { ...object.metadata, name: `o${index}` } }));
      const texts = decided(objects).model.backends.flatMap(({ remarks: _, ...rest }) => textsIn(rest));
      expect(texts.filter((text) => /[\s"'\\;#\p{Cc}]/u.test(text))).toEqual([]);
    }),
  );
});

function textsIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : [];
}
