import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readObjectList } from '../../../../src/router/follow/read-object-list.ts';

const route = (name: string) => `
apiVersion: route.openshift.io/v1
kind: Route
metadata: { name: ${name}, namespace: shop, uid: u-${name}, creationTimestamp: '2026-01-02T03:04:05Z' }
spec:
  host: ${name}.example.com
  to: { kind: Service, name: web }
`;

describe('a list of objects', () => {
  test('is read from any mix of documents, lists and JSON', () => {
    const yaml = readObjectList(`${route('a')}---\n---\n${route('b')}`);
    expect(yaml.problems).toEqual([]);
    expect(yaml.objects.routes.map(({ name }) => name)).toEqual(['a', 'b']);
    const items = yaml.objects.routes.map(({ name }) => ({
      kind: 'Route',
      metadata: { name, namespace: 'shop' },
      spec: { host: 'x', to: { name: 'web' } },
    }));
    for (const list of [{ kind: 'List', items }, items])
      expect(readObjectList(JSON.stringify(list)).objects.routes.map(({ name }) => name)).toEqual(['a', 'b']);
  });

  test('keeps the other objects if one is invalid, and names the field', () => {
    const bad = route('bad').replace('to: { kind: Service, name: web }', 'to: { kind: Pod }');
    const { objects, problems } = readObjectList(`${route('a')}---${bad}---${route('c')}`);
    expect(objects.routes.map(({ name, invalid }) => [name, invalid?.message])).toEqual([
      ['a', undefined],
      ['bad', 'the Route cannot be read: spec.to.kind: expected Service; spec.to.name: expected string'],
      ['c', undefined],
    ]);
    expect(problems).toEqual([]);
    const nameless = route('bad').replace('name: bad', 'name: { }');
    expect(readObjectList(nameless).problems).toEqual([
      'document 1: Route shop/(unnamed): metadata.name: expected string',
    ]);
  });

  test('keeps the other documents if one is invalid YAML', () => {
    const { objects, problems } = readObjectList(`${route('a')}---\n{ ]\n---${route('c')}`);
    expect(objects.routes.map(({ name }) => name)).toEqual(['a', 'c']);
    expect(problems).toHaveLength(1);
    expect(problems[0]).toMatch(/^document 2: /);
  });

  test('contains each object once', () => {
    const { objects, problems } = readObjectList(`${route('a')}---${route('a')}`);
    expect(objects.routes).toHaveLength(1);
    expect(problems).toEqual(['document 2: Route shop/a: it is listed twice']);
  });

  test('ignores kinds that the router does not read', () => {
    const other = { kind: 'Deployment', metadata: { name: 'x' } };
    expect(readObjectList(JSON.stringify([other]))).toMatchObject({ problems: [], objects: { routes: [] } });
  });

  test('reports a value without a kind as invalid', () => {
    expect(readObjectList('[1]').problems).toEqual(['document 1, item 1: expected an object with a kind']);
  });

  test('never throws, whatever an object is', () => {
    const kind = fc.constantFrom(
      'Route',
      'Ingress',
      'EndpointSlice',
      'Endpoints',
      'Service',
      'Secret',
      'Namespace',
    );
    const object = fc.record({
      kind,
      metadata: fc.jsonValue(),
      spec: fc.jsonValue(),
      subsets: fc.jsonValue(),
    });
    fc.assert(fc.property(fc.array(object), (items) => readObjectList(JSON.stringify(items)) !== undefined));
  });

  test('refuses a document that expands from a few lines', () => {
    const lines = ['a0: &a0 [x, x, x, x, x, x, x, x, x]'];
    for (let depth = 1; depth < 9; depth += 1)
      lines.push(
        `a${depth}: &a${depth} [${Array(9)
          .fill(`*a${depth - 1}`)
          .join(', ')}]`,
      );
    expect(readObjectList(lines.join('\n')).problems[0]).toMatch(/^document 1: /);
  });
});

describe('the fields that are kept', () => {
  test('a Route keeps only what the router reads', () => {
    const text = JSON.stringify({
      kind: 'Route',
      metadata: {
        name: 'a',
        annotations: { 'haproxy.router.openshift.io/timeout': '5s', 'example.com/notes': 'long' },
        managedFields: [],
      },
      spec: { to: { name: 'web' }, port: { targetPort: 8080 }, tls: { termination: 'edge' } },
      status: {},
    });
    expect(readObjectList(text).objects.routes[0]).toEqual({
      namespace: 'default',
      name: 'a',
      uid: '',
      createdMs: Number.MAX_SAFE_INTEGER,
      annotations: { 'haproxy.router.openshift.io/timeout': '5s' },
      host: '',
      subdomain: '',
      path: '',
      pathMatch: 'prefix',
      wildcardPolicy: 'None',
      services: [{ name: 'web', weight: 100 }],
      targetPort: '8080',
      tls: {
        termination: 'edge',
        insecurePolicy: '',
        certificate: '',
        key: '',
        caCertificate: '',
        destinationCaCertificate: '',
      },
      headers: { request: [], response: [] },
    });
  });

  test('an EndpointSlice keeps its ready endpoints with TCP ports', () => {
    const text = JSON.stringify({
      kind: 'EndpointSlice',
      metadata: { name: 'web-1', labels: { 'kubernetes.io/service-name': 'web' } },
      addressType: 'IPv4',
      endpoints: [
        { addresses: ['10.0.0.1'], targetRef: { kind: 'Pod', name: 'web-1' } },
        { addresses: ['10.0.0.2'], conditions: { ready: false } },
        { addresses: ['10.0.0.3'], conditions: { ready: true }, targetRef: { kind: 'Pod', name: 'x y' } },
      ],
      ports: [
        { name: 'http', port: 8080, appProtocol: 'kubernetes.io/h2c' },
        { name: 'dns', port: 53, protocol: 'UDP' },
      ],
    });
    expect(readObjectList(text).objects.endpoints).toEqual([
      {
        from: 'EndpointSlice',
        namespace: 'default',
        service: 'web',
        subsets: [
          {
            ports: [{ name: 'http', port: 8080, h2c: true }],
            addresses: [{ address: '10.0.0.1', pod: 'web-1' }, { address: '10.0.0.3' }],
          },
        ],
      },
    ]);
  });

  test('a Secret keeps its certificate and key, decoded', () => {
    const data = { 'tls.crt': Buffer.from('CERT').toString('base64'), 'tls.key': 'S0VZ' };
    const text = JSON.stringify({ kind: 'Secret', type: 'kubernetes.io/tls', metadata: { name: 's' }, data });
    expect(readObjectList(text).objects.secrets).toEqual([
      { namespace: 'default', name: 's', isTls: true, certificate: 'CERT', key: 'KEY' },
    ]);
  });
});
