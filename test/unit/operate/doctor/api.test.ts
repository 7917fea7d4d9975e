import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { judgeCertificate } from '../../../../src/operate/doctor/credential-checks.ts';
import { node } from '../../../helpers/api-server/objects.ts';
import { createAuthority } from '../../../helpers/certificates.ts';
import { startAnswering, startApi } from '../../../helpers/doctor/api.ts';
import { examine } from '../../../helpers/doctor/scene.ts';

const nodes = [node('cp-1', ['192.0.2.11']), node('cp-2', ['192.0.2.12'])];

test('credentials: those that may list nodes', async () => {
  const api = await startApi(nodes);
  const finding = await examine('credentials', undefined, {
    kubeconfig: api.kubeconfig(),
    apiPort: api.port,
  });
  expect(finding).toMatchObject({ kind: 'ok', message: expect.stringContaining('2 control-plane nodes') });
});

test("credentials: a kubelet's see only their own node since 1.32", async () => {
  const api = await startApi(nodes, () => 'forbidden');
  const finding = await examine('credentials', undefined, {
    kubeconfig: api.kubeconfig(),
    apiPort: api.port,
  });
  expect(finding).toMatchObject({
    kind: 'fail',
    message: expect.stringContaining('kubelet'),
    remedy: expect.stringContaining('hawser rbac --kubelet | kubectl apply -f -'),
  });
});

test('credentials: those that may not list nodes, of another user', async () => {
  const api = await startApi(nodes, () => 'forbidden');
  const client = api.authority.issue({ commonName: 'monitors' });
  const settings = { kubeconfig: api.kubeconfig({ client }), apiPort: api.port };
  const finding = await examine('credentials', undefined, settings);
  expect(finding).toMatchObject({
    kind: 'fail',
    message: expect.not.stringContaining('kubelet'),
    remedy: expect.stringContaining('hawser rbac | kubectl apply -f -'),
  });
});

test('credentials: those that the API does not know', async () => {
  const api = await startApi(nodes, () => 'unauthenticated');
  const finding = await examine('credentials', undefined, {
    kubeconfig: api.kubeconfig(),
    apiPort: api.port,
  });
  expect(finding).toMatchObject({ kind: 'fail', message: expect.stringContaining('401') });
});

test('credentials: an API that is away says nothing about them', async () => {
  const api = await startApi(nodes);
  const settings = { kubeconfig: api.kubeconfig({ server: 'https://127.0.0.1:1' }), apiPort: 1 };
  expect(await examine('credentials', undefined, settings)).toMatchObject({ kind: 'unknown' });
});

test('credentials: no kubeconfig, and one that is cut off', async () => {
  expect(await examine('credentials', {})).toMatchObject({ kind: 'skip' });
  const installed = { '/etc/hawser/installed.json': '{}' };
  expect(await examine('credentials', installed)).toMatchObject({ kind: 'fail' });
  const missing = { kubeconfig: '/etc/hawser/kubeconfig' };
  expect(await examine('credentials', {}, missing)).toMatchObject({
    kind: 'fail',
    message: expect.stringContaining('there is no /etc/hawser/kubeconfig'),
    remedy: expect.stringContaining('kubeadm kubeconfig user'),
  });
  for (const id of ['client-certificate', 'api-certificate', 'node-labels'])
    expect(await examine(id, {}, missing)).toMatchObject({
      kind: 'unknown',
      remedy: 'see check credentials',
    });
  const cut = { '/etc/kubernetes/kubelet.conf': 'apiVersion: v1\nclusters: [' };
  expect(await examine('credentials', cut)).toMatchObject({ kind: 'fail' });
});

test('node-labels: this node has its label, or is not among those that have', async () => {
  const api = await startApi(nodes);
  const settings = { kubeconfig: api.kubeconfig(), apiPort: api.port };
  expect(await examine('node-labels', undefined, settings)).toMatchObject({ kind: 'ok' });
  const finding = await examine('node-labels', undefined, { ...settings, nodeName: 'cp-9' });
  expect(finding).toMatchObject({ kind: 'warn', remedy: expect.stringContaining('kubectl label node cp-9') });
});

test('node-labels: no node has the label, or one with it has no address', async () => {
  const none = await startApi([]);
  const settings = { kubeconfig: none.kubeconfig(), apiPort: none.port };
  expect(await examine('node-labels', undefined, settings)).toMatchObject({ kind: 'fail' });
  const bare = await startApi([node('cp-1', [])]);
  const finding = await examine('node-labels', undefined, {
    kubeconfig: bare.kubeconfig(),
    apiPort: bare.port,
  });
  expect(finding).toMatchObject({ kind: 'fail', message: expect.stringContaining('InternalIP') });
});

test('api-certificate: the authority of the kubeconfig, and another one', async () => {
  const api = await startApi(nodes);
  const settings = { kubeconfig: api.kubeconfig(), apiPort: api.port };
  expect(await examine('api-certificate', undefined, settings)).toMatchObject({ kind: 'ok' });
  const other = createAuthority(join(api.dir, 'other'));
  api.kubeconfig({ ca: other.certFile });
  expect(await examine('api-certificate', undefined, settings)).toMatchObject({
    kind: 'fail',
    message: expect.stringContaining('hawser test authority'),
  });
});

test('client-certificate: one that is good for a day, and a file that holds none', async () => {
  const api = await startApi(nodes);
  const settings = { kubeconfig: api.kubeconfig() };
  expect(await examine('client-certificate', undefined, settings)).toMatchObject({ kind: 'ok' });
  writeFileSync(api.client.certFile, 'no certificate');
  expect(await examine('client-certificate', undefined, settings)).toMatchObject({ kind: 'unknown' });
});

test('client-certificate: expired, not yet valid, nearly over', () => {
  const look = {
    kind: 'certificate',
    subject: 'CN=x',
    from: new Date('2026-01-01T00:00:00Z'),
    to: new Date('2027-01-01T00:00:00Z'),
  } as const;
  const at = (date: string) => judgeCertificate(look, new Date(date), 'renew it').kind;
  expect([at('2025-12-31'), at('2026-06-01'), at('2026-12-20'), at('2027-01-02')]).toEqual([
    'fail',
    'ok',
    'warn',
    'fail',
  ]);
});

test.each([
  [200, 'ok'],
  [401, 'fail'],
  [403, 'fail'],
  [500, 'warn'],
])('anonymous-readyz: an API server that answers %i: %s', async (status, kind) => {
  const apiPort = await startAnswering(status);
  expect(await examine('anonymous-readyz', undefined, { apiPort })).toMatchObject({ kind });
});

test('anonymous-readyz: no API server is nothing to look at', async () => {
  expect(await examine('anonymous-readyz', undefined, { apiPort: 1 })).toMatchObject({ kind: 'skip' });
});

test.each([
  ['the same', 0, 'ok'],
  ['10 s off', 10_000, 'warn'],
  ['an hour off', -3_600_000, 'fail'],
])("clock: %s as another node's", async (_, skewMs, kind) => {
  const apiPort = await startAnswering(401, skewMs);
  const settings = { apiPort, servers: 'cp-2=127.0.0.1' };
  expect(await examine('clock', undefined, settings)).toMatchObject({ kind });
});

test('clock: no server to compare with', async () => {
  expect(await examine('clock', {})).toMatchObject({ kind: 'skip' });
});
