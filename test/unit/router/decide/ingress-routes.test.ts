import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createIngressRoutes } from '../../../../src/router/decide/ingress-routes.ts';
import type { Ingress } from '../../../../src/router/follow/ingress.ts';
import type { Service } from '../../../../src/router/follow/service.ts';
import { createAuthority } from '../../../helpers/certificates.ts';
import { fileFolder } from '../../../helpers/test-folder.ts';
import { decided, routeObject, sliceObject, verdicts } from '../objects-of.ts';

const folder = fileFolder();
const authority = createAuthority(folder);
const pair = authority.issue({ commonName: 'app' });
const secret = {
  kind: 'Secret',
  metadata: { name: 'pair', namespace: 'shop' },
  type: 'kubernetes.io/tls',
  stringData: { 'tls.crt': pair.cert, 'tls.key': pair.key },
};
const service = {
  kind: 'Service',
  metadata: { name: 'web', namespace: 'shop' },
  spec: { clusterIP: '172.30.0.9', ports: [{ name: 'http', port: 80 }] },
};
const path = (some: object = {}) => ({
  path: '/',
  pathType: 'Prefix',
  backend: { service: { name: 'web', port: { number: 80 } } },
  ...some,
});
const ingress = (spec: object, className = 'hawser', annotations: object = {}) => ({
  kind: 'Ingress',
  metadata: {
    annotations,
    name: 'web',
    namespace: 'shop',
    creationTimestamp: '2026-01-01T00:00:00Z',
    uid: 'i',
  },
  spec: { ingressClassName: className, ...spec },
});
const rules = (...paths: readonly object[]) => ({ rules: [{ host: 'app.example.com', http: { paths } }] });
const decidedFor = (...objects: readonly object[]) =>
  decided([...objects, service, sliceObject('web', 1)], { ingressClass: 'hawser', allowWildcards: true });

describe('an Ingress', () => {
  test("has a route for each host and path, with the service's named port", () => {
    const { model } = decidedFor(ingress(rules(path(), path({ path: '/api/' }))));
    expect(model.backends.map(({ path, kind, servers }) => [path, kind, servers.length]).sort()).toEqual([
      ['', 'http', 1],
      ['/api', 'http', 1],
    ]);
    for (const { key } of model.backends) expect(key).toMatch(/^shop:web_[0-9a-f]{12}$/);
  });

  test('has one route for each exact path and each prefix', () => {
    const exact = (of: string) => path({ pathType: 'Exact', path: of });
    const { admission, model } = decidedFor(ingress(rules(path(), exact('/'), exact('/x/'), exact('/x/'))));
    expect(model.backends.map(({ path, pathMatch }) => [path, pathMatch]).sort()).toEqual([
      ['', 'prefix'],
      ['/', 'exact'],
      ['/x/', 'exact'],
    ]);
    expect(admission.rejected.map(({ reason }) => reason)).toEqual(['RouteNotAdmitted']);
    const younger = {
      ...ingress(rules(exact('/x/'))),
      metadata: { name: 'late', namespace: 'shop', uid: 'j', creationTimestamp: '2026-01-02T00:00:00Z' },
    };
    const message = decidedFor(ingress(rules(exact('/x/'))), younger).admission.rejected[0]?.message;
    expect(message).toMatch(
      /^route web_[0-9a-f]{12} already has app\.example\.com\/x\/ \(exact\) and is older$/,
    );
  });

  test('of another class is ignored, and every Ingress without a class setting', () => {
    expect(decidedFor(ingress(rules(path()), 'nginx')).model.backends).toEqual([]);
    expect(decided([ingress(rules(path()))]).model.backends).toEqual([]);
  });

  test('with TLS terminates it at the router and redirects clients to https', () => {
    const tls = [{ hosts: ['app.example.com'] }];
    expect(decidedFor(ingress({ tls, ...rules(path()) })).model.backends[0]).toMatchObject({
      kind: 'edge',
      insecure: 'Redirect',
    });
  });

  test.each([
    ['an entry without hosts', { tls: [{}] }, {}, 'edge'],
    ['an entry with a Secret and no hosts', { tls: [{ secretName: 'pair' }] }, {}, 'edge'],
    ['the annotation alone', {}, { 'route.openshift.io/termination': 'reencrypt' }, 'reencrypt'],
  ])('with TLS by %s is never served in clear text', (_, tls, annotations, kind) => {
    const { model } = decidedFor(ingress({ ...tls, ...rules(path()) }, 'hawser', annotations), secret);
    expect(model.backends[0]).toMatchObject({ kind, insecure: 'Redirect' });
    expect(model.backends[0]?.certificate === undefined).toBe(!JSON.stringify(tls).includes('pair'));
  });

  test('with an unknown termination is not admitted', () => {
    const { admission } = decidedFor(
      ingress(rules(path()), 'hawser', { 'route.openshift.io/termination': 'Edge' }),
    );
    expect(admission.rejected[0]?.reason).toBe('ExtendedValidationFailed');
  });

  test.each([
    ['pair', { kind: 'route-ca', pem: authority.cert }],
    ['gone', 'ExternalCertificateGetFailed'],
    ['empty', 'ExternalCertificateValidationFailed'],
    ['broken', 'ExternalCertificateValidationFailed'],
  ])("with the pods' CA in the Secret %s verifies the pods, or is not admitted", (name, expected) => {
    const annotations = {
      'route.openshift.io/termination': 'reencrypt',
      'route.openshift.io/destination-ca-certificate-secret': name,
    };
    const { model, admission } = decidedFor(
      ingress(rules(path()), 'hawser', annotations),
      { ...secret, stringData: { 'tls.crt': authority.cert } },
      { ...secret, metadata: { ...secret.metadata, name: 'empty' }, stringData: {} },
      { ...secret, metadata: { ...secret.metadata, name: 'broken' }, stringData: { 'tls.crt': 'x' } },
    );
    expect(model.backends[0]?.verify ?? admission.rejected[0]?.reason).toEqual(expected);
  });

  test('with a missing Secret is not admitted', () => {
    const tls = [{ hosts: ['app.example.com'], secretName: 'gone' }];
    expect(decidedFor(ingress({ tls, ...rules(path()) })).admission.rejected[0]?.reason).toBe(
      'ExternalCertificateGetFailed',
    );
  });

  test.each([
    ['an invalid exact path', rules(path({ pathType: 'Exact', path: '' })), 'ExtendedValidationFailed'],
    ['a kind of path that is unknown', rules(path({ pathType: 'Regex' })), 'ExtendedValidationFailed'],
    ['no host', { rules: [{ http: { paths: [path()] } }] }, 'NoHostValue'],
    ['a backend for everything', { defaultBackend: {} }, 'ExtendedValidationFailed'],
    [
      'a port that is not there',
      rules(path({ backend: { service: { name: 'web', port: { number: 9 } } } })),
      'ExtendedValidationFailed',
    ],
    ['a resource as backend', rules(path({ backend: { resource: {} } })), 'ExtendedValidationFailed'],
  ])('with %s is not admitted', (_, spec, reason) => {
    const { admission } = decidedFor(ingress(spec));
    expect(admission.admitted).toEqual([]);
    expect(admission.rejected.map((each) => each.reason)).toEqual([reason]);
  });

  test('with a wildcard host is a wildcard route', () => {
    const spec = { rules: [{ host: '*.example.com', http: { paths: [path()] } }] };
    expect(decidedFor(ingress(spec)).model.backends[0]).toMatchObject({
      host: 'example.com',
      wildcard: true,
    });
  });

  test('claims hosts like a Route, by its age', () => {
    const newer = routeObject({ name: 'r', age: 5 });
    expect(verdicts(decidedFor(ingress(rules(path())), newer))).toEqual([
      'shop:r HostAlreadyClaimed',
      expect.stringMatching(/^shop:web_[0-9a-f]{12} admitted$/),
    ]);
  });
});

describe('the entries and ports that the paths of an Ingress refer to', () => {
  const identity = { namespace: 'shop', uid: 'i', createdMs: 0, annotations: {}, className: 'hawser' };
  const convert = (
    hosts: readonly string[],
    tls: Ingress['tls'],
    { service, port = '80' }: { readonly service?: Service; readonly port?: string } = {},
  ) => {
    const paths = hosts.map((host) => ({
      host,
      path: '/',
      pathType: 'Prefix',
      service: { name: 'web', port },
    }));
    const ingress: Ingress = { ...identity, name: 'web', hasDefaultBackend: false, tls, paths };
    return createIngressRoutes('hawser')([ingress], service ? [service] : []);
  };
  const web: Service = { namespace: 'shop', name: 'web', clusterIp: '', isIdled: false, ports: [] };

  test('are found without a search for each path', () => {
    const reads = { hosts: 0, ports: 0 };
    const entry = {
      get hosts() {
        reads.hosts += 1;
        return ['a.com'];
      },
    };
    const service = {
      ...web,
      get ports() {
        reads.ports += 1;
        return [{ name: 'http', port: 80 }];
      },
    };
    const readsFor = (paths: number) => {
      Object.assign(reads, { hosts: 0, ports: 0 });
      const routes = convert(Array(paths).fill('a.com'), [entry], { service });
      expect(routes.map(({ targetPort, tls }) => [targetPort, tls?.termination])).toEqual(
        Array(paths).fill(['http', 'edge']),
      );
      return { ...reads };
    };
    expect(readsFor(100)).toEqual(readsFor(1));
  });

  test('are the first that match', () => {
    const names = ['a.com', 'x.a.com', 'y.x.a.com', '*.a.com', '*.x.a.com', '.a.com', 'm', '*.', '*', ''];
    const host = fc.constantFrom(...names);
    const entries = fc.array(fc.array(host, { maxLength: 3 }), { maxLength: 6 });
    const isFor = (each: string, wanted: string) =>
      each === wanted || (each.startsWith('*.') && wanted.slice(wanted.indexOf('.')) === each.slice(1));
    fc.assert(
      fc.property(entries, (lists) => {
        const tls = lists.map((hosts, index) => ({ hosts, secret: `${index}` }));
        const expected = names.map((name) => {
          const found = tls.find(({ hosts }) => hosts.some((each) => isFor(each, name)));
          return (found ?? tls.find(({ hosts }) => hosts.length === 0))?.secret;
        });
        expect(convert(names, tls).map((route) => route.tls?.secret)).toEqual(expected);
      }),
    );
  });

  test.each([
    ['80', 'first'],
    ['first', 'first'],
    ['81', 'second'],
    ['twin', 'twin'],
    ['', undefined],
    ['443', '80'],
  ])('are the first port with the name or number %j', (port, targetPort) => {
    const ports = [
      { name: 'first', port: 80 },
      { name: '80', port: 443 },
      { name: 'second', port: 81 },
      { name: 'twin', port: 82 },
      { name: 'twin', port: 83 },
      { name: '', port: 81 },
    ];
    const [route] = convert(['a.com'], [], { service: { ...web, ports }, port });
    expect([route?.targetPort, route?.invalid]).toEqual([targetPort, undefined]);
  });
});
