import { Agent, request } from 'node:https';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ApiServer } from '../../../helpers/api-server/api-server.ts';
import type { StoredObject } from '../../../helpers/api-server/object-store.ts';
import { createTestCluster, type TestCluster } from '../../../helpers/api-server/observing.ts';
import {
  expectSameAnswer,
  expectSameShape,
  type RecordedAnswer,
  readRecording,
} from '../../../helpers/recordings.ts';

/** The requests of hawser's router and pod proxy. The stand-in answers them as kube-apiserver 1.34 did. */
let cluster: TestCluster;
let server: ApiServer;
let agent: Agent;
beforeAll(async () => {
  cluster = createTestCluster();
  const reader = 'system:serviceaccount:store:reader';
  server = await cluster.start({
    authorize: ({ token }) => (token === reader ? 'forbidden' : 'allowed'),
  });
  agent = new Agent({ ca: cluster.authority.cert, keepAlive: true });
});
afterAll(async () => {
  agent.destroy();
  await cluster.remove();
});

function ask(method: string, path: string, body?: unknown, token?: string): Promise<RecordedAnswer> {
  const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
  const authorization = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const headers = { 'content-type': type, ...authorization };
  return new Promise((resolve, reject) => {
    const outgoing = request(`${server.url}${path}`, { agent, method, headers }, (response) => {
      const received = response.headers as Record<string, string>;
      const answered = (body: string) => resolve({ code: response.statusCode ?? 0, headers: received, body });
      text(response).then(answered, reject);
    });
    outgoing.on('error', reject).end(body === undefined ? undefined : JSON.stringify(body));
  });
}

const real = (name: string): StoredObject => JSON.parse(readRecording(`objects/${name}`).body);
/** The object as a client sends it, without the fields that the API adds. */
function wish(name: string): StoredObject {
  const { metadata, status: _, ...rest } = real(name);
  const { name: its = '', namespace, labels } = metadata;
  return { ...rest, metadata: { name: its, ...(namespace && { namespace }), ...(labels && { labels }) } };
}

/** A refusal must be identical, because hawser decides by its code and shows its message. */
function expectSameRefusal(actual: RecordedAnswer, name: string): void {
  const { code, headers, body } = readRecording(`objects/${name}`);
  expect([actual.code, actual.headers['content-type']]).toEqual([code, headers['content-type']]);
  expect(JSON.parse(actual.body)).toEqual(JSON.parse(body));
}

const versionOf = ({ body }: RecordedAnswer): string => JSON.parse(body).metadata.resourceVersion;
const routes = '/apis/route.openshift.io/v1/namespaces/store/routes';
const leases = '/apis/coordination.k8s.io/v1/namespaces/store/leases';
const ingresses = '/apis/networking.k8s.io/v1/namespaces/store/ingresses';
const spec = (...fields: readonly string[]) => fields.map((field) => `.spec.${field}`);

test('Routes are created, listed with their kind, watched, deleted, and refused a second time', async () => {
  const created = await ask('POST', routes, wish('routes-create'));
  expectSameAnswer(created, 'objects/routes-create', spec('host: string', 'to.weight: number'));
  expectSameRefusal(await ask('POST', routes, wish('routes-create')), 'routes-create-exists');
  const second = { ...wish('routes-create'), metadata: { name: 'api', namespace: 'store' } };
  await ask('POST', routes, second);
  const list = await ask('GET', '/apis/route.openshift.io/v1/routes');
  expectSameAnswer(list, 'objects/routes-list', ['.kind: RouteList', '.items[].kind: Route']);

  const { status } = real('routes-status-merge-patch');
  await ask('PATCH', `${routes}/web/status`, { status });
  await ask('PATCH', `${routes}/api`, { spec: { host: 'other.example.com' } });
  expectSameAnswer(await ask('DELETE', `${routes}/api`), 'objects/routes-delete', ['.details.name: string']);
  const query = `watch=1&allowWatchBookmarks=true&timeoutSeconds=1&resourceVersion=${versionOf(list)}`;
  const watched = await ask('GET', `/apis/route.openshift.io/v1/routes?${query}`);
  const events = (body: string) =>
    body
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
  const [found, expected] = [watched.body, readRecording('objects/routes-watch').body].map(events);
  expect(found?.map(({ type }) => type)).toEqual(expected?.map(({ type }) => type));
  expectSameShape(found, expected, ['[].object.kind: Route', '[].type: BOOKMARK']);
});

test('statuses take a merge patch of only the status, and refuse others', async () => {
  const { status } = real('routes-status-merge-patch');
  const patched = await ask('PATCH', `${routes}/web/status`, { spec: { host: 'ignored' }, status });
  expectSameAnswer(patched, 'objects/routes-status-merge-patch', [
    '.status.ingress[].conditions[].type: Admitted',
  ]);
  expect(JSON.parse(patched.body)).toMatchObject({ spec: { host: 'web.example.com' }, status });
  const stale = { metadata: { resourceVersion: '1' }, status };
  expectSameRefusal(await ask('PATCH', `${routes}/web/status`, stale), 'routes-status-merge-patch-conflict');
  expectSameRefusal(await ask('PATCH', `${routes}/none/status`, { status }), 'routes-status-not-found');
  const invalid = { status: { ingress: [{ host: 7 }] } };
  expectSameRefusal(await ask('PATCH', `${routes}/web/status`, invalid), 'routes-status-invalid');
  const after = await ask('GET', `${routes}/web`);
  expect(versionOf(after)).toBe(versionOf(patched));
});

test('a watch of Routes that starts too far back, and a missing API group', async () => {
  const missing = await ask('GET', '/apis/route.example.com/v1/routes');
  const { code, headers, body } = readRecording('objects/routes-list-unknown-group');
  expect([missing.code, missing.headers['content-type'], missing.body]).toEqual([
    code,
    headers['content-type'],
    body,
  ]);
  cluster.store.expire();
  const late = await ask('GET', '/apis/route.openshift.io/v1/routes?watch=1&resourceVersion=1');
  expectSameAnswer(late, 'objects/watch-too-old-routes', ['.object.code: 410', '.type: ERROR']);
});

test('Leases are created, read, renewed by version, and refused if another client wrote first', async () => {
  const { name } = real('lease-create').metadata;
  const held = spec('holderIdentity: string', 'leaseDurationSeconds: number', 'renewTime: string');
  expectSameAnswer(await ask('POST', leases, wish('lease-create')), 'objects/lease-create', held);
  expectSameRefusal(await ask('POST', leases, wish('lease-create')), 'lease-create-exists');
  const read = await ask('GET', `${leases}/${name}`);
  expectSameAnswer(read, 'objects/lease-get', held);
  const renewal = {
    metadata: { resourceVersion: versionOf(read) },
    spec: { leaseTransitions: 1, acquireTime: null },
  };
  expectSameAnswer(await ask('PATCH', `${leases}/${name}`, renewal), 'objects/lease-update', held);
  expectSameRefusal(await ask('PATCH', `${leases}/${name}`, renewal), 'lease-update-conflict');
});

test('Ingresses are created, listed without their kind, and get a status of addresses', async () => {
  expectSameAnswer(
    await ask('POST', ingresses, wish('ingress-create')),
    'objects/ingress-create',
    spec('rules[].host: string'),
  );
  const { status } = real('ingress-status-merge-patch');
  const patched = await ask('PATCH', `${ingresses}/web/status`, { status });
  expectSameAnswer(patched, 'objects/ingress-status-merge-patch', [
    '.status.loadBalancer.ingress[].ip: string',
  ]);
  const invalid = { status: { loadBalancer: { ingress: [{ ip: 'not-an-ip' }] } } };
  expectSameRefusal(await ask('PATCH', `${ingresses}/web/status`, invalid), 'ingress-status-invalid');
  expectSameAnswer(await ask('GET', '/apis/networking.k8s.io/v1/ingresses'), 'objects/ingress-list', [
    '.items[].metadata.name: string',
  ]);
});

test('Secrets: one by name, a list by type, an unknown field, and no permission to list', async () => {
  cluster.store.set(wish('secret-get-by-name'));
  cluster.store.set({
    ...wish('secret-get-by-name'),
    type: 'Opaque',
    metadata: { name: 'o', namespace: 'store' },
  });
  const one = await ask('GET', '/api/v1/namespaces/store/secrets/web-tls');
  expectSameAnswer(one, 'objects/secret-get-by-name', ['.type: kubernetes.io/tls']);
  const list = await ask('GET', '/api/v1/secrets?fieldSelector=type%3Dkubernetes.io%2Ftls');
  expectSameAnswer(list, 'objects/secrets-list-type', ['.kind: SecretList']);
  expectSameRefusal(await ask('GET', '/api/v1/secrets?fieldSelector=data%3Dx'), 'secrets-list-bad-field');
  const refused = await ask('GET', '/api/v1/secrets', undefined, 'system:serviceaccount:store:reader');
  expectSameRefusal(refused, 'secrets-list-forbidden');
});

test('access reviews allow what a Role allows, and deny everything else', async () => {
  const rules = [{ verbs: ['get'], resources: ['secrets'], resourceNames: ['web-tls'] }];
  const role = {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'Role',
    metadata: { name: 'r', namespace: 'store' },
    rules,
  };
  cluster.store.set(role);
  const review = async (name: string) => {
    const resourceAttributes = { namespace: 'store', verb: 'get', resource: 'secrets', name };
    return await ask('POST', '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews', {
      spec: { resourceAttributes },
    });
  };
  const allowed = await review('web-tls');
  const denied = await review('other');
  expectSameAnswer(allowed, 'objects/selfsubjectaccessreview', ['.status.allowed: boolean']);
  expect(JSON.parse(allowed.body).status).toEqual(
    JSON.parse(readRecording('objects/selfsubjectaccessreview').body).status,
  );
  expect(denied.code).toBe(readRecording('objects/subjectaccessreview-denied').code);
  expect(JSON.parse(denied.body).status).toEqual(
    JSON.parse(readRecording('objects/subjectaccessreview-denied').body).status,
  );
});

test('Events, annotated Nodes, Services, EndpointSlices, and an empty list', async () => {
  expectSameAnswer(
    await ask('POST', '/api/v1/namespaces/store/events', wish('event-create')),
    'objects/event-create',
    ['.involvedObject.name: string'],
  );
  const { status } = real('node-annotate');
  cluster.store.set({ ...wish('node-annotate'), status });
  const annotations = { 'hawser.dev/api-server': 'drain' };
  expectSameAnswer(
    await ask('PATCH', '/api/v1/nodes/cp-1', { metadata: { annotations } }),
    'objects/nodes-metadata-annotation',
    ['.metadata.annotations.hawser.dev/api-server: string'],
  );
  for (const [path, recording, kind] of [
    ['/api/v1/services', 'services-list', 'Service'],
    ['/apis/discovery.k8s.io/v1/endpointslices', 'endpointslices-list-routers', 'EndpointSlice'],
  ] as const) {
    const { items, apiVersion } = real(recording) as StoredObject & { items: readonly StoredObject[] };
    for (const item of items) cluster.store.set({ ...item, apiVersion, kind });
    expectSameAnswer(await ask('GET', path), `objects/${recording}`, [`.kind: ${kind}List`]);
  }
  const empty = await ask('GET', '/api/v1/pods');
  expectSameAnswer(empty, 'objects/pods-list-empty');
  expect(JSON.parse(empty.body).items).toEqual([]);
});
