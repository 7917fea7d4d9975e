import { afterEach, beforeEach, expect, test } from 'vitest';
import { node } from '../../../helpers/api-server/objects.ts';
import {
  certificateUser,
  createTestCluster,
  type TestCluster,
  type Watching,
  watchCluster,
} from '../../../helpers/api-server/observing.ts';
import { waitFor } from '../../../helpers/wait-for.ts';

let cluster: TestCluster;
let seen: Watching;

beforeEach(() => {
  cluster = createTestCluster();
  cluster.store.set(node('cp-1', ['10.0.0.1']));
});
afterEach(async () => {
  await seen.stop();
  await cluster.remove();
});

async function askAs(
  commonName: string,
  organization: string,
  { kind = 'nodes', refuse = false }: { kind?: 'nodes' | 'endpoints'; refuse?: boolean } = {},
) {
  const server = await cluster.start({
    authorize: (caller) => (caller.commonName === 'allowed' ? 'allowed' : 'forbidden'),
  });
  await server.setFaults({ refuse });
  const client = cluster.authority.issue({ commonName, organization });
  cluster.writeKubeconfig(server.url, certificateUser(client));
  seen = watchCluster(kind, cluster, { checkInterval: 100 });
  return server;
}

/** The first report with a remedy: a busy machine may report a late answer before it. */
const refusal = () => waitFor('the remedy', () => seen.events.find((event) => 'remedy' in event));

test("a kubelet's own credentials are recognized, and the remedy is named", async () => {
  await askAs('system:node:cp-1', 'system:nodes');
  expect(await refusal()).toMatchObject({
    error: expect.stringMatching(/HTTP 403 .*only its own Node object/),
    remedy: expect.stringMatching(
      /kubelet's credentials.* 1\.32.*hawser rbac --kubelet \| kubectl apply -f -.*kubeadm kubeconfig user --client-name hawser --validity-period 87600h/,
    ),
  });
});

test('the error for credentials without the role names the manifest that grants it', async () => {
  await askAs('hawser', 'monitors');
  expect(await refusal()).toMatchObject({
    remedy: 'expected a role for user "hawser": hawser rbac | kubectl apply -f -',
  });
});

test('for EndpointSlices the error names the other manifest and the other user', async () => {
  await askAs('monitor-user', 'monitors', { kind: 'endpoints' });
  expect(await refusal()).toMatchObject({
    remedy: expect.stringMatching(
      /user "monitor-user": hawser rbac --endpoints \| kubectl apply -f -, with the name of that user instead of hawser$/,
    ),
  });
});

test('an outage that turns into a refusal is reported again, and valid credentials end it', async () => {
  const server = await askAs('system:node:cp-1', 'system:nodes', { refuse: true });
  const then = seen.since();
  expect(await then.reports('api-unavailable')).not.toHaveProperty('remedy');
  await server.setFaults({ refuse: false });
  await refusal();
  cluster.writeKubeconfig(server.url, certificateUser(cluster.authority.issue({ commonName: 'allowed' })));
  await seen.sees(['cp-1=10.0.0.1']);
  await then.reports('api-recovered');
});
