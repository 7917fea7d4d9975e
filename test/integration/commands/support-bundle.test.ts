import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { ensureBuilt, hawser } from '../../helpers/supervisor-build.ts';

ensureBuilt();

test('a support bundle has reports, configurations, journals and logs of the node, and no secret', {
  timeout: 180_000,
}, () => {
  const dir = mkdtempSync(join(tmpdir(), 'hawser-bundle-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  const write = (path: string, text: string) => {
    mkdirSync(join(dir, 'node', path, '..'), { recursive: true });
    writeFileSync(join(dir, 'node', path), text);
  };
  write('etc/keepalived/keepalived.conf', 'auth_pass hunter2\nvirtual_router_id 77\n');
  write('etc/hawser/kubeconfig', 'hunter2');
  const lists = { vips: [], ports: [], directories: [], files: [], replaced: [] };
  const record = { version: 1, flavor: 'kubeadm', image: 'hawser:1', ...lists };
  write('etc/hawser/installed-b.json', JSON.stringify(record));
  write('etc/hawser/config-b.yaml', 'lbPort: 9545\n');
  write('etc/haproxy-b/haproxy.cfg', 'global\n');
  write('var/log/hawser/keepalived-monitor.1.jsonl', '');
  write('var/log/hawser/haproxy-monitor.1.jsonl', '{"v":1,"message":"Authorization: Bearer hunter2"}\n');
  write('var/log/pods/kube-system_keepalived-cp-1_1/keepalived/0.log', 'it was asked to stop\n');
  const tar = execFileSync(hawser, ['support-bundle', '--root', join(dir, 'node')], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  writeFileSync(join(dir, 'bundle.tar.gz'), tar);
  execFileSync('tar', ['-C', dir, '-xzf', join(dir, 'bundle.tar.gz')]);
  const read = (path: string) => readFileSync(join(dir, 'hawser-support', path), 'utf8');
  expect(JSON.parse(read('version.json'))).toMatchObject({ node: process.versions.node });
  expect(JSON.parse(read('doctor.json'))).toHaveProperty('checks');
  expect(read('files/etc/keepalived/keepalived.conf')).toBe('auth_pass ***\nvirtual_router_id 77\n');
  expect(read('files/etc/hawser/config-b.yaml')).toBe('lbPort: 9545\n');
  expect(read('files/etc/haproxy-b/haproxy.cfg')).toBe('global\n');
  expect(read('errors.txt')).toContain('haproxy status --json --instance b');
  expect(read('journals/keepalived-monitor.1.jsonl')).toBe('');
  expect(read('logs/var/log/pods/kube-system_keepalived-cp-1_1/keepalived/0.log')).toContain('asked to stop');
  expect(read('errors.txt')).toContain('/etc/haproxy/haproxy.cfg');
  expect(spawnSync('grep', ['-r', 'hunter2', join(dir, 'hawser-support')]).status).toBe(1);
});
