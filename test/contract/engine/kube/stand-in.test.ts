import { request as plainRequest } from 'node:http';
import { Agent, request } from 'node:https';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ApiServer } from '../../../helpers/api-server/api-server.ts';
import { kubernetesSlice, node } from '../../../helpers/api-server/objects.ts';
import { createTestCluster, type TestCluster } from '../../../helpers/api-server/observing.ts';
import {
  expectSameAnswer,
  expectSameShape,
  type RecordedAnswer,
  readRecording,
} from '../../../helpers/recordings.ts';

let cluster: TestCluster;
let server: ApiServer;
let agent: Agent;

beforeAll(async () => {
  cluster = createTestCluster();
  server = await cluster.start({
    bookmarkMs: 60_000,
    plainHttp: true,
    authorize: ({ commonName, token }) =>
      commonName === 'monitor' ? 'allowed' : token === 'known' ? 'forbidden' : 'unauthenticated',
  });
  const { cert, key } = cluster.client;
  agent = new Agent({ ca: cluster.authority.cert, cert, key, keepAlive: true });
  for (const id of [1, 2, 3]) cluster.store.set(node(`cp-${id}`, [`10.20.0.1${id}`]));
  cluster.store.set(kubernetesSlice('kubernetes', ['10.20.0.11', '10.20.0.12', '10.20.0.13']));
});

afterAll(async () => {
  agent.destroy();
  await cluster.remove();
});

async function get(
  path: string,
  headers = {},
  useAgent: Agent | false = agent,
  base = server.url,
): Promise<RecordedAnswer> {
  const credentials = useAgent === false ? { ca: cluster.authority.cert } : {};
  return await new Promise((resolve, reject) => {
    const outgoing = request(`${base}${path}`, { agent: useAgent, headers, ...credentials }, (response) => {
      text(response).then((body) => {
        const received = response.headers as Record<string, string>;
        resolve({ code: response.statusCode ?? 0, headers: received, body });
      }, reject);
    });
    outgoing.on('error', reject).end();
  });
}

test('a list of nodes', async () => {
  const answer = await get('/api/v1/nodes?labelSelector=node-role.kubernetes.io%2Fcontrol-plane');
  expectSameAnswer(answer, 'nodes-list', [
    '.kind: NodeList',
    '.apiVersion: v1',
    '.metadata.resourceVersion: string',
    '.items[].metadata.resourceVersion: string',
    '.items[].status.addresses[].type: InternalIP',
  ]);
  expect(JSON.parse(answer.body).items).toHaveLength(3);
});

test('a list in two pages', async () => {
  const first = await get('/api/v1/nodes?limit=2');
  expectSameAnswer(first, 'nodes-list-limit2', ['.metadata.remainingItemCount: number']);
  const token = JSON.parse(first.body).metadata.continue;
  const second = await get(`/api/v1/nodes?limit=2&continue=${token}`);
  expectSameAnswer(second, 'nodes-list-continue', ['.items[].metadata.name: string']);
  expect(JSON.parse(second.body).items).toHaveLength(1);
});

test('EndpointSlices', async () => {
  const needed = ['.items[].endpoints[].conditions.ready: boolean', '.items[].ports[].port: number'];
  for (const scope of ['', '/namespaces/default'])
    expectSameAnswer(
      await get(`/apis/discovery.k8s.io/v1${scope}/endpointslices`),
      'endpointslices-list',
      needed,
    );
});

test('refusals and errors', async () => {
  expectSameAnswer(await get('/api/v1/nodes', {}, false), 'unauthorized', ['.code: 401', '.kind: Status']);
  const known = { authorization: 'Bearer known' };
  expectSameAnswer(await get('/api/v1/nodes', known, false), 'forbidden-anonymous', ['.reason: Forbidden']);
  expectSameAnswer(await get('/api/v1/nodes?resourceVersion=999999999'), 'nodes-future-rv', ['.code: 504']);
  expect((await get('/api/v1/none')).code).toBe(readRecording('not-found').code);
  expectSameAnswer(await get('/api/v1/nodes/none'), 'not-found', ['.details.name: string', '.code: 404']);
});

test('probes and version', async () => {
  const { code, headers, body } = readRecording('readyz');
  const probe = await get('/readyz', {}, false);
  expect([probe.code, probe.headers['content-type'], probe.body]).toEqual([
    code,
    headers['content-type'],
    body,
  ]);
  expect(Object.keys(JSON.parse((await get('/version')).body))).toEqual(
    Object.keys(JSON.parse(readRecording('version').body)),
  );
});

test('bookmarks at the highest rate end with their watch', async () => {
  const busy = await cluster.start({ bookmarkMs: 1 });
  const path = '/api/v1/nodes?watch=1&allowWatchBookmarks=true&timeoutSeconds=1';
  const watches = await Promise.all([1, 2, 3, 4].map(() => get(path, {}, agent, busy.url)));
  for (const { body } of watches) expect(body.split('\n').length).toBeGreaterThan(3);
  expect(await get('/readyz', {}, agent, busy.url)).toMatchObject({ code: 200 });
});

test('a watch: events, label changes as DELETED and ADDED, a bookmark at its end', async () => {
  const since = cluster.store.version();
  cluster.store.set(node('cp-2', ['10.20.0.12'], {}));
  cluster.store.set(node('cp-2', ['10.20.0.12']));
  cluster.store.set(node('cp-2', ['10.20.0.22']));
  cluster.store.delete('Node', 'cp-3');
  const selector = 'labelSelector=node-role.kubernetes.io/control-plane';
  const answer = await get(
    `/api/v1/nodes?watch=1&allowWatchBookmarks=true&timeoutSeconds=1&resourceVersion=${since}&${selector}`,
  );
  const real = readRecording('nodes-watch');
  const lines = (body: string) =>
    body
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
  expect(answer.headers['content-type']).toBe(real.headers['content-type']);
  expect(lines(answer.body).map((event) => event.type)).toEqual([
    'DELETED',
    'ADDED',
    'MODIFIED',
    'DELETED',
    'BOOKMARK',
  ]);
  expectSameShape(lines(answer.body), lines(real.body), ['[].type: BOOKMARK', '[].object.kind: Node']);
  const versions = lines(answer.body).map((event) => Number(event.object.metadata.resourceVersion) - since);
  expect(versions).toEqual([1, 2, 3, 4, 4]);
});

test('a watch that starts too far back: 200, then one ERROR event with 410', async () => {
  cluster.store.expire();
  expectSameAnswer(await get('/api/v1/nodes?watch=1&resourceVersion=1'), 'nodes-watch-too-old', [
    '.object.code: 410',
  ]);
});

test('plain HTTP on the same port, and other paths for load tests', async () => {
  const body = await new Promise<string>((resolve, reject) => {
    plainRequest(`http://127.0.0.1:${server.port}/load/me`, (response) =>
      text(response).then(resolve, reject),
    )
      .on('error', reject)
      .end();
  });
  expect(JSON.parse(body)).toMatchObject({ path: '/load/me' });
  expect((await get('/load/me')).code).toBe(200);
});
