import { execFileSync } from 'node:child_process';
import { copyFileSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Caller } from '../../../helpers/api-server/api-server.ts';
import { node } from '../../../helpers/api-server/objects.ts';
import {
  certificateUser,
  createTestCluster,
  type TestCluster,
  type Watching,
  watchNodes,
} from '../../../helpers/api-server/observing.ts';
import { waitFor } from '../../../helpers/wait-for.ts';

let cluster: TestCluster;
let seen: Watching;
const one = ['cp-1=10.0.0.1'];
const two = ['cp-1=10.0.0.1', 'cp-2=10.0.0.2'];
const pollOften = { checkInterval: 1_000 };

beforeEach(() => {
  cluster = createTestCluster();
  cluster.store.set(node('cp-1', ['10.0.0.1']));
});

afterEach(async () => {
  await seen.stop();
  await cluster.remove();
});

function withoutUser(text: string): string {
  return text.replace(/^users:.*$/m, 'users: []');
}

function tokenIs(token: string) {
  return (caller: Caller) => (caller.token === token ? 'allowed' : 'unauthenticated');
}

test('a kubeconfig that appears late is waited for', async () => {
  const server = await cluster.start();
  seen = watchNodes(cluster);
  const then = seen.since();
  await then.reports('kubeconfig-unusable', /ENOENT/);
  cluster.writeKubeconfig(server.url);
  await seen.sees(one);
  await then.reports('kubeconfig-recovered');
  expect(seen.observations[0]?.kind).toBe('unavailable');
});

test('a replaced kubeconfig moves the watch to its server', async () => {
  const first = await cluster.start();
  const second = await cluster.start();
  cluster.writeKubeconfig(first.url);
  seen = watchNodes(cluster, pollOften);
  await seen.sees(one);
  const path = cluster.kubeconfigPath;
  copyFileSync(path, `${path}.new`);
  writeFileSync(`${path}.new`, readFileSync(path, 'utf8').replace(first.url, second.url));
  renameSync(`${path}.new`, path);
  await waitFor('watches at the second server', () => second.served().watches === 2);
  await waitFor('no watch at the first server', () => first.served().watches === 0);
  expect(seen.events.map((event) => event.event)).toContain('kubeconfig-reloaded');
});

test.each([
  ['missing', (path: string) => rmSync(path)],
  ['empty', (path: string) => writeFileSync(path, '')],
  ['half-written', (path: string) => writeFileSync(path, readFileSync(path, 'utf8').slice(0, 400))],
  ['without its user', (path: string) => writeFileSync(path, withoutUser(readFileSync(path, 'utf8')))],
  ['no YAML', (path: string) => writeFileSync(path, '{{{')],
])('while a kubeconfig is %s, the last good one is used', async (_what, damage) => {
  const server = await cluster.start();
  cluster.writeKubeconfig(server.url);
  seen = watchNodes(cluster, pollOften);
  await seen.sees(one);
  const then = seen.since();
  damage(cluster.kubeconfigPath);
  await then.reports('kubeconfig-unusable');
  cluster.store.set(node('cp-2', ['10.0.0.2']));
  await seen.sees(two, 'poll');
  cluster.writeKubeconfig(server.url);
  await then.reports('kubeconfig-recovered');
  // A busy machine may answer late; that is not the kubeconfig's fault.
  const isLate = (item: object): boolean => JSON.stringify(item).includes('no answer within');
  const unavailable = seen.observations.filter((item) => item.kind === 'unavailable');
  expect(unavailable.filter((item) => !isLate(item))).toEqual([]);
  expect(seen.events.filter((item) => item.event === 'kubeconfig-unusable')).toHaveLength(1);
});

test('rotated certificate files are used at the next connection', async () => {
  const names = new Set(['monitor']);
  const authorize = ({ commonName }: Caller) => (names.has(commonName ?? '') ? 'allowed' : 'unauthenticated');
  const server = await cluster.start({ authorize });
  const certFile = join(cluster.dir, 'client.crt');
  const keyFile = join(cluster.dir, 'client.key');
  copyFileSync(cluster.client.certFile, certFile);
  copyFileSync(cluster.client.keyFile, keyFile);
  cluster.writeKubeconfig(server.url, certificateUser({ certFile, keyFile }));
  seen = watchNodes(cluster, pollOften);
  await seen.sees(one);
  const rotated = cluster.authority.issue({ commonName: 'monitor-2' });
  const then = seen.since();
  names.delete('monitor');
  names.add('monitor-2');
  await then.reports('api-unavailable', /HTTP 401/);
  copyFileSync(rotated.certFile, certFile);
  copyFileSync(rotated.keyFile, keyFile);
  await then.reports('api-recovered');
});

test.each([
  ['unauthenticated', /HTTP 401 Unauthorized, expected credentials/],
  ['forbidden', /HTTP 403 nodes is forbidden: .*expected credentials/],
] as const)('credentials that are %s are reported as the reason', async (verdict, message) => {
  const server = await cluster.start({ authorize: () => verdict });
  cluster.writeKubeconfig(server.url);
  seen = watchNodes(cluster);
  await seen.since().reports('api-unavailable', message);
});

test('a token in the kubeconfig is sent', async () => {
  const server = await cluster.start({ authorize: tokenIs('secret') });
  cluster.writeKubeconfig(server.url, '{token: secret}');
  seen = watchNodes(cluster);
  await seen.sees(one);
});

test.each([
  ['alone', '{tokenFile: token}'],
  ['next to a token, which it overrules', '{tokenFile: token, token: other}'],
])('a tokenFile %s is sent, and read again after a rotation', async (_what, user) => {
  let accepted = 'secret';
  const server = await cluster.start({ authorize: (caller) => tokenIs(accepted)(caller) });
  writeFileSync(join(cluster.dir, 'token'), 'secret\n');
  cluster.writeKubeconfig(server.url, user);
  seen = watchNodes(cluster, pollOften);
  await seen.sees(one);
  const then = seen.since();
  accepted = 'rotated';
  await then.reports('api-unavailable', /HTTP 401/);
  writeFileSync(join(cluster.dir, 'token'), 'rotated\n');
  await then.reports('api-recovered');
});

test('a log that throws does not stop the watch', async () => {
  const server = await cluster.start();
  seen = watchNodes(cluster, {
    ...pollOften,
    report: () => {
      throw new Error('disk full');
    },
  });
  await waitFor('the outage', () => seen.observations.length > 0);
  cluster.writeKubeconfig(server.url);
  await seen.sees(one, 'watch');
});

test.each([
  ['kubeconfig', (path: string) => path],
  ['client certificate', () => join(cluster.dir, 'client.pem')],
])('a %s that is a FIFO is reported, and is used once it is a regular file', async (_what, pathOf) => {
  const server = await cluster.start();
  const certFile = join(cluster.dir, 'client.pem');
  copyFileSync(cluster.client.certFile, certFile);
  cluster.writeKubeconfig(server.url, certificateUser({ ...cluster.client, certFile }));
  const path = pathOf(cluster.kubeconfigPath);
  const text = readFileSync(path);
  rmSync(path);
  execFileSync('mkfifo', [path]);
  seen = watchNodes(cluster, pollOften);
  await seen.since().reports('api-unavailable', /not a regular file/);
  rmSync(path);
  writeFileSync(path, text);
  await seen.sees(one);
});
