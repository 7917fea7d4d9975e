import { afterEach, beforeEach, expect, test } from 'vitest';
import type { DeployedContext } from '../../../src/haproxy/doctor/deployed.ts';
import { podProxyChecks } from '../../../src/pod-proxy/doctor/checks.ts';
import { createTestCluster, type TestCluster } from '../../helpers/api-server/observing.ts';
import { downstreamPod } from '../../helpers/pod-objects.ts';

let cluster: TestCluster;
let isBroken: boolean;

beforeEach(async () => {
  [cluster, isBroken] = [createTestCluster(), false];
  const server = await cluster.start({
    instead: (_, path) =>
      isBroken && path.includes('/pods')
        ? { code: 500, body: { kind: 'Status', code: 500, message: 'etcd is gone' } }
        : undefined,
  });
  cluster.writeKubeconfig(server.url);
  cluster.store.set(downstreamPod({ name: 'haproxy-1', app: 'haproxy' }));
  const metadata = { name: 'cluster-admin' };
  cluster.store.set({ apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRole', metadata });
});

afterEach(async () => await cluster.remove());

async function find(id: string) {
  const settings = {
    namespace: 'default',
    pod: 'haproxy-1',
    kubeconfig: cluster.kubeconfigPath,
    env: {},
    dns: 'auto',
  };
  const context = {
    readings: { deployed: () => settings },
    answerTimeoutMs: 10_000,
    signal: new AbortController().signal,
  } as unknown as DeployedContext;
  return await podProxyChecks.find((check) => check.id === id)?.run(context);
}

test('the pods of a namespace may have more bytes than one answer', async () => {
  const env = 'x'.repeat(1_000_000);
  for (const index of [1, 2, 3])
    cluster.store.set({
      ...downstreamPod({ name: `web-${index}`, app: 'web', ip: `10.0.0.${index}` }),
      spec: { env },
    });
  expect(await find('pod-proxy-downstreams')).toEqual({
    kind: 'ok',
    message: 'every group has a ready pod: web',
  });
});

test('permissions are not called complete while the own pod, whose annotations need some, cannot be read', async () => {
  expect(await find('pod-proxy-rbac')).toMatchObject({ kind: 'ok' });
  isBroken = true;
  expect(await find('pod-proxy-rbac')).toMatchObject({
    kind: 'unknown',
    message: expect.stringMatching(/annotations may need more permissions.*etcd is gone/),
  });
  isBroken = false;
  cluster.store.delete('Pod', 'haproxy-1', 'default');
  expect(await find('pod-proxy-rbac')).toMatchObject({ kind: 'unknown' });
});
