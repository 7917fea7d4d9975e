import { createServer } from 'node:net';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { node } from '../../../helpers/api-server/objects.ts';
import {
  createTestCluster,
  type TestCluster,
  type Watching,
  watchNodes,
} from '../../../helpers/api-server/observing.ts';
import { createAuthority } from '../../../helpers/certificates.ts';
import { times, waitFor } from '../../../helpers/wait-for.ts';

let cluster: TestCluster;
let seen: Watching;
const one = ['cp-1=10.0.0.1'];
const nobody = 'https://127.0.0.1:1';

beforeEach(() => {
  cluster = createTestCluster();
  cluster.store.set(node('cp-1', ['10.0.0.1']));
});

afterEach(async () => {
  await seen.stop();
  await cluster.remove();
});

/** A certificate as kubeadm creates it for one node: service names, no `localhost`. */
function clusterCertificate(dnsNames = ['kubernetes', 'kubernetes.default.svc']) {
  return cluster.authority.issue({ commonName: 'kube-apiserver', dnsNames, addresses: ['10.0.0.1'] });
}

test('if the kubeconfig points at a dead VIP, localhost is used', async () => {
  const local = await cluster.start(clusterCertificate());
  cluster.writeKubeconfig(nobody);
  seen = watchNodes(cluster, { apiPort: local.port });
  await seen.sees(one);
  expect(seen.observations[0]).toMatchObject({ kind: 'servers', from: `https://localhost:${local.port}` });
});

test('if localhost is dead too, the last known servers are tried in turn', async () => {
  const dead = await cluster.start();
  await dead.setFaults({ refuse: true });
  const alive = await cluster.start(clusterCertificate());
  cluster.writeKubeconfig(nobody);
  const fallbacks = [dead, alive].map(({ port }) => `127.0.0.1:${port}`);
  seen = watchNodes(cluster, { fallbacks });
  await seen.sees(one);
  expect(seen.observations[0]).toMatchObject({ from: alive.url });
});

test('a hung kubeconfig server costs one timeout, then the next base serves watch and polls', async () => {
  const hung = await cluster.start();
  await hung.setFaults({ stall: true });
  const local = await cluster.start(clusterCertificate());
  cluster.writeKubeconfig(hung.url);
  const timing = { requestTimeoutMs: 2_000 };
  seen = watchNodes(cluster, { apiPort: local.port, checkInterval: 1_000, timing });
  await seen.sees(one, 'poll');
  const asked = hung.served().requests;
  const polls = () =>
    seen.observations.filter((item) => item.kind === 'servers' && item.via === 'poll').length;
  await waitFor('three more polls', () => polls() > 3);
  expect(hung.served().requests).toBe(asked);
});

test('when the API server of the watch dies, another base takes over at once', async () => {
  const first = await cluster.start();
  const second = await cluster.start(clusterCertificate());
  cluster.writeKubeconfig(first.url);
  seen = watchNodes(cluster, { apiPort: second.port });
  await seen.sees(one);
  await first.setFaults({ refuse: true });
  await waitFor('watches at the second', () => second.served().watches === 2);
  cluster.store.set(node('cp-2', ['10.0.0.2']));
  await seen.sees([...one, 'cp-2=10.0.0.2']);
  expect(seen.events.filter((item) => item.event === 'api-unavailable')).toEqual([]);
});

test('a watch on a base that polls find hung moves to another base', async () => {
  const first = await cluster.start();
  const second = await cluster.start(clusterCertificate());
  cluster.writeKubeconfig(first.url);
  const timing = { requestTimeoutMs: 2_000 };
  seen = watchNodes(cluster, { apiPort: second.port, checkInterval: 1_000, timing });
  await seen.sees(one, 'poll');
  await first.setFaults({ stall: true });
  await waitFor('watches at the second', () => second.served().watches === 2);
});

test('a server with a certificate of another authority is never trusted', async () => {
  const other = createAuthority(`${cluster.dir}/other`);
  const { cert, key } = other.issue({ commonName: 'kube-apiserver', dnsNames: ['kubernetes', 'localhost'] });
  const impostor = await cluster.start({ cert, key });
  cluster.writeKubeconfig(nobody);
  seen = watchNodes(cluster, { apiPort: impostor.port });
  await seen.since().reports('api-unavailable', /self-signed|unable to (get|verify)/i);
  expect(impostor.requests).toEqual([]);
});

test("a certificate of the right authority without an API server's name is refused", async () => {
  const local = await cluster.start(clusterCertificate(['etcd']));
  cluster.writeKubeconfig(nobody);
  seen = watchNodes(cluster, { apiPort: local.port });
  await seen.since().reports('api-unavailable', /does not match certificate/);
  expect(local.requests).toEqual([]);
});

test("the kubeconfig's own server must have its own name: alternative names do not count", async () => {
  const server = await cluster.start(clusterCertificate());
  cluster.writeKubeconfig(server.url);
  seen = watchNodes(cluster);
  await seen.since().reports('api-unavailable', /does not match certificate/);
});

test('a server that does not speak HTTP is a failed base', async () => {
  const noise = createServer((socket) => socket.on('error', () => undefined).end('SSH-2.0-OpenSSH_9.2\r\n'));
  await new Promise<void>((resolve) => noise.listen(0, '127.0.0.1', resolve));
  const address = noise.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const local = await cluster.start(clusterCertificate());
  cluster.writeKubeconfig(`https://127.0.0.1:${port}`);
  seen = watchNodes(cluster, { apiPort: local.port });
  await seen.sees(one);
  noise.close();
});

test('long lists come in pages', async () => {
  for (let index = 2; index <= 7; index += 1) cluster.store.set(node(`cp-${index}`, [`10.0.0.${index}`]));
  const server = await cluster.start();
  cluster.writeKubeconfig(server.url);
  seen = watchNodes(cluster, { timing: { pageLimit: 3 } });
  await times('server', () => seen.latest() ?? [], 7);
  expect(server.requests.filter((path) => path.includes('continue='))).toHaveLength(2);
});

test('stopping ends the iteration and closes every connection, even during a hung request', async () => {
  const server = await cluster.start();
  cluster.writeKubeconfig(server.url);
  seen = watchNodes(cluster, { checkInterval: 1_000, timing: { requestTimeoutMs: 60_000 } });
  await seen.sees(one, 'poll');
  await server.setFaults({ stall: true });
  const before = server.served().requests;
  await waitFor('a hung poll', () => server.served().requests > before);
  await seen.stop();
  await waitFor('closed connections', () => server.served().connections === 0);
});

test('stopping closes idle connections too', async () => {
  const server = await cluster.start();
  cluster.writeKubeconfig(server.url);
  seen = watchNodes(cluster, { checkInterval: 1_000 });
  await seen.sees(one, 'poll');
  await waitFor('two watches and an idle connection', () => server.served().connections === 3);
  await seen.stop();
  await waitFor('closed connections', () => server.served().connections === 0);
});

test('polls reuse one kept-alive connection instead of a TLS handshake each', async () => {
  const server = await cluster.start();
  cluster.writeKubeconfig(server.url);
  seen = watchNodes(cluster, { checkInterval: 1_000 });
  await waitFor('five polls of two lists each', () => server.served().requests > 14);
  // Two connections for the watches and one for the polls. An answer later than 2 s ends all three, so a busy machine may need
  // three more. With one per list there would be more than twelve.
  expect(server.served().accepted).toBeLessThan(10);
});
