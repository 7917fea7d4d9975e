import { afterEach, beforeEach, expect, test } from 'vitest';
import { kubernetesSlice } from '../../../helpers/api-server/objects.ts';
import {
  createTestCluster,
  type TestCluster,
  type Watching,
  watchCluster,
} from '../../../helpers/api-server/observing.ts';

let cluster: TestCluster;
let seen: Watching;

beforeEach(async () => {
  cluster = createTestCluster();
  const server = await cluster.start();
  cluster.writeKubeconfig(server.url);
});

afterEach(async () => {
  await seen.stop();
  await cluster.remove();
});

test('ready endpoints of default/kubernetes are servers with their own port', async () => {
  cluster.store.set(
    kubernetesSlice('kubernetes', ['10.0.0.1', '10.0.0.2'], { port: 8443, notReady: ['10.0.0.2'] }),
  );
  seen = watchCluster('endpoints', cluster);
  await seen.sees(['10.0.0.1=10.0.0.1']);
  expect(seen.observations[0]).toMatchObject({ servers: [{ port: 8443 }] });
  cluster.store.set(kubernetesSlice('kubernetes', ['10.0.0.1', '10.0.0.2'], { port: 8443 }));
  await seen.sees(['10.0.0.1=10.0.0.1', '10.0.0.2=10.0.0.2'], 'watch');
});

test("a dual-stack service uses the first VIP's family while it has addresses", async () => {
  cluster.store.set(kubernetesSlice('kubernetes', ['10.0.0.1', '10.0.0.2']));
  cluster.store.set(kubernetesSlice('kubernetes-v6', ['fd00::1', 'fd00::2']));
  seen = watchCluster('endpoints', cluster, { vips: ['fd00::100', '10.0.0.100'] });
  await seen.sees(['fd00::1=fd00::1', 'fd00::2=fd00::2']);
  cluster.store.delete('EndpointSlice', 'kubernetes-v6');
  await seen.sees(['10.0.0.1=10.0.0.1', '10.0.0.2=10.0.0.2']);
});
