import { afterEach, beforeEach, expect, test } from 'vitest';
import { openApiSession } from '../../../../src/engine/kube/api-session.ts';
import { type Observation, openSource } from '../../../../src/engine/kube/control-plane/source.ts';
import { openKubeconfig } from '../../../../src/engine/kube/kubeconfig.ts';
import { node } from '../../../helpers/api-server/objects.ts';
import {
  createTestCluster,
  type TestCluster,
  type Watching,
  watchNodes,
  watchNodesFor,
} from '../../../helpers/api-server/observing.ts';
import { waitFor } from '../../../helpers/wait-for.ts';

let cluster: TestCluster;
let seen: Watching | undefined;

beforeEach(() => {
  cluster = createTestCluster();
  cluster.store.set(node('cp-1', ['10.0.0.1']));
  cluster.store.set(node('worker', ['10.0.0.9'], {}));
});

afterEach(async () => {
  await seen?.stop();
  await cluster.remove();
});

test('nodes with either label are servers once, and nodes without a label are not', async () => {
  const server = await cluster.start();
  cluster.store.set(node('cp-2', ['10.0.0.2'], { 'node-role.kubernetes.io/master': '' }));
  const both = { 'node-role.kubernetes.io/master': '', 'node-role.kubernetes.io/control-plane': '' };
  cluster.store.set(node('cp-3', ['10.0.0.3'], both));
  cluster.writeKubeconfig(server.url);
  seen = watchNodes(cluster);
  await seen.sees(['cp-1=10.0.0.1', 'cp-2=10.0.0.2', 'cp-3=10.0.0.3']);
  cluster.store.delete('Node', 'cp-3');
  await seen.sees(['cp-1=10.0.0.1', 'cp-2=10.0.0.2']);
  expect(seen.observations.every((item) => item.kind === 'servers' && item.servers.length >= 2)).toBe(true);
});

test('the watch alone follows a node that is added, relabelled, or gets another address', async () => {
  const server = await cluster.start();
  cluster.writeKubeconfig(server.url);
  seen = watchNodes(cluster);
  await seen.sees(['cp-1=10.0.0.1']);
  cluster.store.set(node('cp-2', ['10.0.0.2']));
  await seen.sees(['cp-1=10.0.0.1', 'cp-2=10.0.0.2'], 'watch');
  cluster.store.set(node('cp-2', ['10.0.0.22']));
  await seen.sees(['cp-1=10.0.0.1', 'cp-2=10.0.0.22'], 'watch');
  cluster.store.set(node('cp-2', ['10.0.0.22'], {}));
  await seen.sees(['cp-1=10.0.0.1'], 'watch');
});

test('nothing is observed before both labels have been listed: half a list would look like a loss', async () => {
  cluster.store.set(node('cp-2', ['10.0.0.2'], { 'node-role.kubernetes.io/master': '' }));
  let isMasterDenied = true;
  const server = await cluster.start({
    authorize: ({ path }) => (isMasterDenied && path.includes('master') ? 'forbidden' : 'allowed'),
  });
  cluster.writeKubeconfig(server.url);
  seen = watchNodes(cluster, { checkInterval: 1_000 });
  await seen.since().reports('api-unavailable');
  await waitFor('several attempts', () => server.served().requests > 10);
  isMasterDenied = false;
  await seen.sees(['cp-1=10.0.0.1', 'cp-2=10.0.0.2']);
  expect(seen.observations.filter((item) => item.kind === 'servers' && item.servers.length < 2)).toEqual([]);
});

test('the lists of two VIPs come from the same requests', async () => {
  const server = await cluster.start();
  cluster.store.set(node('cp-1', ['10.0.0.1', 'fd00::1']));
  cluster.writeKubeconfig(server.url);
  const [one, other] = watchNodesFor(['10.0.0.100', 'fd00::100'], cluster);
  if (one === undefined || other === undefined) throw new Error('no readers');
  seen = one;
  await one.sees(['cp-1=10.0.0.1']);
  await other.sees(['cp-1=fd00::1']);
  const first = server.requests.filter((path) => !path.includes('watch=1'));
  expect(first).toHaveLength(new Set(first).size);
  expect(first.filter((path) => path.includes('nodes'))).toHaveLength(2);
  cluster.store.set(node('cp-2', ['10.0.0.2', 'fd00::2']));
  await one.sees(['cp-1=10.0.0.1', 'cp-2=10.0.0.2'], 'watch');
  await other.sees(['cp-1=fd00::1', 'cp-2=fd00::2'], 'watch');
  await server.stop();
  await waitFor('the outage', () => other.observations.some(({ kind }) => kind === 'unavailable'));
  expect(one.events.filter(({ event }) => event === 'api-unavailable')).toHaveLength(1);
});

test("a node's heartbeat does not trigger another choice", async () => {
  const server = await cluster.start();
  cluster.writeKubeconfig(server.url);
  const stop = new AbortController();
  const kubeconfig = openKubeconfig(cluster.kubeconfigPath, () => undefined);
  const session = openApiSession({ kubeconfig, apiPort: 1, fallbacks: [] }, stop.signal);
  const observations: Observation[] = [];
  let chosen = 0;
  // This is read once for each choice.
  const subnets = () => {
    chosen += 1;
    return [];
  };
  const settings = { source: 'all-nodes', apiPort: 6443, checkInterval: 600_000 } as const;
  const run = openSource(settings, { session, report: () => undefined, subnets });
  const ended = run([{ vips: [], observe: (observation) => observations.push(observation) }], stop.signal);
  const sees = (count: number) =>
    waitFor(`${count} servers`, () => {
      const last = observations.at(-1);
      return last?.kind === 'servers' && last.servers.length === count;
    });
  await sees(2);
  await waitFor('the watch', () => server.served().watches === 1);
  const before = chosen;
  const worker = node('worker', ['10.0.0.9'], {});
  for (let beat = 0; beat < 20; beat += 1) cluster.store.set({ ...worker, spec: { beat } });
  cluster.store.set(node('cp-2', ['10.0.0.2']));
  await sees(3);
  stop.abort();
  await ended;
  // The new node's choice, and the choice of the API servers to remember.
  expect(chosen - before).toBe(2);
});

test('only control-plane nodes are remembered as API servers', async () => {
  const server = await cluster.start();
  cluster.writeKubeconfig(server.url);
  const stop = new AbortController();
  const kubeconfig = openKubeconfig(cluster.kubeconfigPath, () => undefined);
  const session = openApiSession({ kubeconfig, apiPort: 1, fallbacks: [] }, stop.signal);
  const remembered: string[] = [];
  const watched = { ...session, remember: (endpoints: readonly string[]) => remembered.push(...endpoints) };
  const settings = { source: 'all-nodes', apiPort: 6443, checkInterval: 60_000 } as const;
  const observations: Observation[] = [];
  const run = openSource(settings, { session: watched, report: () => undefined, subnets: () => [] });
  const ended = run([{ vips: [], observe: (observation) => observations.push(observation) }], stop.signal);
  await waitFor('the list', () => observations.length > 0);
  stop.abort();
  await ended;
  expect(observations[0]).toMatchObject({ servers: [{ name: 'cp-1' }, { name: 'worker' }] });
  expect(remembered).toEqual(['10.0.0.1:6443']);
});
