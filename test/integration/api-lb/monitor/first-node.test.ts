import type { ChildProcess } from 'node:child_process';
import { cpSync, existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeEach, expect, test } from 'vitest';
import { node } from '../../../helpers/api-server/objects.ts';
import { startLogged } from '../../../helpers/child.ts';
import type { Cluster } from '../../../helpers/cluster.ts';
import { hawser } from '../../../helpers/supervisor-build.ts';
import { readLogEvents } from '../../../helpers/supervisor-process.ts';
import { createTestedCluster } from '../../../helpers/tested-cluster.ts';
import { waitFor } from '../../../helpers/wait-for.ts';

const templates = fileURLToPath(new URL('../../../../templates', import.meta.url));

let cluster: Cluster;
const at = (name: string) => join(cluster.dir, name);

beforeEach(async () => {
  cluster = await createTestedCluster(1);
});

/** A monitor whose kubeconfig does not exist yet. */
function startMonitor(program: 'haproxy' | 'keepalived', ...flags: readonly string[]): ChildProcess {
  const template = at(`${program}.ejs`);
  const config = at(`${program}.conf`);
  const extension = program === 'haproxy' ? 'cfg' : 'conf';
  cpSync(join(templates, `${program}.${extension}.ejs`), template);
  const argv = [hawser, program, 'monitor', at('late-kubeconfig'), template, config];
  const own = ['--socket', at('no.sock'), '--listen', '127.0.0.1:55555', '--check-interval', '300ms'];
  return startLogged([...cluster.namespace.prefix, ...argv, ...own, ...flags], at('log'));
}

const said = (event: string) =>
  waitFor(`the event ${event}`, () => readLogEvents(at('log')).find((line) => line.event === event));

const healthz = () => cluster.namespace.run('curl', '-sf', 'http://127.0.0.1:55555/healthz');

test('keepalived-monitor waits for the kubeconfig with the cluster name and is healthy meanwhile', async () => {
  const monitor = startMonitor('keepalived', '--api-vips', cluster.vip, '--run-dir', cluster.dir);
  expect(await said('kubeconfig-unusable')).toMatchObject({ path: at('late-kubeconfig') });
  await waitFor('a good /healthz', () => healthz().then(() => true));
  expect(monitor.exitCode).toBeNull();
  renameSync(cluster.kubeconfig('https://api.managed.example:6443'), at('late-kubeconfig'));
  expect(await said('monitor-started')).toMatchObject({ clusterName: 'managed' });
});

test('keepalived-monitor exits on SIGTERM while it waits', async () => {
  const monitor = startMonitor('keepalived', '--api-vips', cluster.vip, '--run-dir', cluster.dir);
  await said('kubeconfig-unusable');
  monitor.kill('SIGTERM');
  await waitFor('its end', () => monitor.exitCode !== null);
  expect(monitor.exitCode).toBe(0);
});

test('the first node gets a configuration with the VIP before there is an API or a kubeconfig', async () => {
  const flags = [
    '--api-vips',
    cluster.vip,
    '--run-dir',
    cluster.dir,
    '--cluster-name',
    'managed',
    '--first-node',
  ];
  const [only] = cluster.nodes;
  startMonitor('keepalived', ...flags, '--node-name', only?.name ?? '', '--node-ip', only?.address ?? '');
  await waitFor('keepalived.conf', () => existsSync(at('keepalived.conf')));
  expect(readFileSync(at('keepalived.conf'), 'utf8')).toContain(cluster.vip);
});

test('haproxy-monitor waits for the kubeconfig and serves once it exists', async () => {
  cluster.setObjects(cluster.nodes.map(({ name, address }) => node(name, [address])));
  await Promise.all(cluster.nodes.map(cluster.startServer));
  startMonitor('haproxy', '--api-vip', cluster.vip);
  await said('api-unavailable');
  await waitFor('a configuration without servers', () => existsSync(at('haproxy.conf')));
  await waitFor('a good /healthz', () => healthz().then(() => true));
  writeFileSync(at('half'), readFileSync(cluster.kubeconfig('https://10.77.0.11:6443')));
  renameSync(at('half'), at('late-kubeconfig'));
  await said('api-recovered');
  await waitFor('the server', () => readFileSync(at('haproxy.conf'), 'utf8').includes('10.77.0.11:6443'));
});

test('an edited settings file is reported and takes effect at the next start', async () => {
  writeFileSync(at('settings.yaml'), 'settle: 400ms\n');
  const monitor = startMonitor('haproxy', '--api-vip', cluster.vip, '--settings', at('settings.yaml'));
  await said('monitor-started');
  // The watch begins a moment after the start, so a single edit could come too early.
  let edits = 0;
  const told = await waitFor('the event settings-changed', () => {
    edits += 1;
    writeFileSync(at('edited'), `settle: never # ${edits}\n`);
    renameSync(at('edited'), at('settings.yaml'));
    return readLogEvents(at('log')).find(({ event }) => event === 'settings-changed');
  });
  expect(told).toMatchObject({ path: at('settings.yaml'), effect: 'at the next start' });
  expect(monitor.exitCode).toBeNull();
});
