import { execFile, execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { hawser } from '../../helpers/supervisor-build.ts';
import { testFolder } from '../../helpers/test-folder.ts';

const HAPROXY_STATUS = {
  ok: true,
  phase: 'serving',
  current: null,
  draining: [],
  reload: null,
  restart: null,
  lastFailure: null,
};

/** The bundle of the node whose root directory is the folder `node` in `dir`. */
async function bundleOf(dir: string) {
  const { stdout } = await promisify(execFile)(hawser, ['support-bundle', '--root', join(dir, 'node')], {
    encoding: 'buffer',
  });
  writeFileSync(join(dir, 'bundle.tar.gz'), stdout);
  execFileSync('tar', ['-C', dir, '-xzf', join(dir, 'bundle.tar.gz')]);
  return (path: string) => readFileSync(join(dir, 'hawser-support', path), 'utf8');
}

function createNode() {
  const dir = testFolder();
  const write = (path: string, text: string) => {
    mkdirSync(join(dir, 'node', path, '..'), { recursive: true });
    writeFileSync(join(dir, 'node', path), text);
  };
  return { dir, write };
}

test('the support bundle of a worker does not report missing keepalived files', {
  timeout: 180_000,
}, async () => {
  const { dir, write } = createNode();
  const files = [{ path: '/etc/kubernetes/manifests/haproxy.yaml', sha256: '' }];
  const record = { version: 1, image: 'hawser:1', vips: [], ports: [], directories: [], files };
  write('etc/hawser/installed.json', JSON.stringify(record));
  const read = await bundleOf(dir);
  expect(read('errors.txt')).toContain('hawser haproxy status --json:');
  expect(read('errors.txt')).not.toMatch(/keepalived (?:status|monitor)|keepalived\.(?:conf|yaml)/);
});

test("a support bundle has the node's reports, configurations, journals and logs, and no secret", {
  timeout: 180_000,
}, async () => {
  const { dir, write } = createNode();
  write('etc/hawser-keepalived/keepalived.conf', 'auth_pass hunter2\nvirtual_router_id 77\n');
  write('etc/hawser/kubeconfig', 'hunter2');
  write('var/log/hawser/keepalived-monitor.1.jsonl', '');
  write('var/log/hawser/haproxy-monitor.1.jsonl', '{"v":1,"message":"Authorization: Bearer hunter2"}\n');
  write('var/log/pods/kube-system_keepalived-cp-1_1/keepalived/0.log', 'it was asked to stop\n');
  // A supervisor in its pod: its socket is in no folder of the node.
  write('proc/9/comm', 'node\n');
  write('proc/9/cmdline', 'node\0/hawser.mjs\0haproxy\0supervise\0');
  write('proc/9/root/var/run/haproxy/.kept', '');
  const supervisor = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', () => socket.end(`${JSON.stringify(HAPROXY_STATUS)}\n`));
  });
  supervisor.listen(join(dir, 'node/proc/9/root/var/run/haproxy/haproxy-master.sock'));
  onTestFinished(() => void supervisor.close());
  const read = await bundleOf(dir);
  expect(JSON.parse(read('version.json'))).toMatchObject({ node: process.versions.node });
  expect(JSON.parse(read('doctor.json'))).toHaveProperty('checks');
  expect(JSON.parse(read('haproxy-status.json'))).toMatchObject({ phase: 'serving' });
  expect(read('errors.txt')).not.toContain('hawser haproxy status --json:');
  expect(read('files/etc/hawser-keepalived/keepalived.conf')).toBe('auth_pass ***\nvirtual_router_id 77\n');
  expect(read('journals/keepalived-monitor.1.jsonl')).toBe('');
  expect(read('logs/var/log/pods/kube-system_keepalived-cp-1_1/keepalived/0.log')).toContain('asked to stop');
  expect(read('errors.txt')).toContain('/etc/haproxy/haproxy.cfg');
  expect(spawnSync('grep', ['-r', 'hunter2', join(dir, 'hawser-support')]).status).toBe(1);
});
