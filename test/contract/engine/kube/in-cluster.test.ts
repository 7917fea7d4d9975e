import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openApiSession } from '../../../../src/engine/kube/api-session.ts';
import { askObject } from '../../../../src/engine/kube/ask-object.ts';
import { openServiceAccount } from '../../../../src/engine/kube/in-cluster.ts';
import { node } from '../../../helpers/api-server/objects.ts';
import { createTestCluster, type TestCluster } from '../../../helpers/api-server/observing.ts';

let cluster: TestCluster;
const stop = new AbortController();

beforeEach(() => {
  cluster = createTestCluster();
  cluster.store.set(node('cp-1', ['10.0.0.1']));
});

afterEach(async () => {
  stop.abort();
  await cluster.remove();
});

test("a pod uses its service account's token, also a renewed one, and CA", async () => {
  let valid = 'first';
  const { port } = await cluster.start({
    authorize: ({ token }) => (token === valid ? 'allowed' : 'unauthenticated'),
  });
  const folder = join(cluster.dir, 'serviceaccount');
  mkdirSync(folder);
  copyFileSync(cluster.authority.certFile, join(folder, 'ca.crt'));
  writeFileSync(join(folder, 'token'), 'first\n');
  const env = { KUBERNETES_SERVICE_HOST: '127.0.0.1', KUBERNETES_SERVICE_PORT: `${port}` };
  const kubeconfig = openServiceAccount(env, () => undefined, folder);
  const session = openApiSession({ kubeconfig, apiPort: 1, fallbacks: [] }, stop.signal);
  const limits = { signal: stop.signal, timeoutMs: 5_000 };
  const ask = async () => await askObject(session, { method: 'GET', path: '/api/v1/nodes/cp-1' }, limits);

  expect(await ask()).toMatchObject({ kind: 'object' });
  valid = 'second';
  expect(await ask()).toMatchObject({ kind: 'failure', status: 401 });
  writeFileSync(join(folder, 'token'), 'second\n');
  expect(await ask()).toMatchObject({ kind: 'object' });
});
