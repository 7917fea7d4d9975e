import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { createInstallNode, type InstallNode } from '../../../helpers/install-node.ts';

let node: InstallNode;
const fixture = (name: string) =>
  readFileSync(join(import.meta.dirname, '../../../fixtures/foreign', name), 'utf8');
const rendered = '# hawser renders this file again whenever the list of servers changes\n';

beforeEach(async () => {
  node = await createInstallNode();
});

/** Leaves the folders as the monitors would. */
function runMonitors(): void {
  node.write('/etc/haproxy/haproxy.cfg', rendered);
  node.write('/etc/haproxy/haproxy.cfg.last-good', rendered);
  node.write('/etc/hawser-keepalived/keepalived.conf', rendered);
}

test("the files of Debian's packages and of the kubeadm guide are kept, and uninstall restores them", async () => {
  node.write('/etc/haproxy/haproxy.cfg', fixture('debian-haproxy.cfg'));
  node.write('/etc/haproxy/errors/400.http', 'HTTP/1.0 400 Bad request\n');
  node.write('/etc/keepalived/keepalived.conf', fixture('guide-keepalived.conf'));
  node.write('/etc/keepalived/check_apiserver.sh', fixture('guide-check_apiserver.sh'));
  const before = node.tree('exact').filter((line) => !/ (?:4?0?755) /.test(line));
  const result = await node.install();
  expect(result).toMatchObject({ exitCode: 0, stderr: '' });
  for (const path of ['/etc/haproxy/haproxy.cfg', '/etc/keepalived/keepalived.conf']) {
    expect(result.stdout).toContain(
      `notice: ${path} is not hawser's: it is kept as ${path}.before-hawser, and hawser uninstall puts it back`,
    );
    expect(node.tree()).not.toContain(`${path} 644`);
  }
  expect(node.read('/etc/haproxy/haproxy.cfg.before-hawser')).toBe(fixture('debian-haproxy.cfg'));
  runMonitors();
  expect((await node.run('install', '--yes')).stdout).toContain('already up to date');
  expect(await node.run('uninstall')).toMatchObject({ exitCode: 0, stderr: '' });
  // Same names, modes and inodes: the original files.
  expect(node.tree('exact').filter((line) => !/ (?:4?0?755) /.test(line))).toEqual(before);
});

test('files whose names only start like hawser’s are never removed', async () => {
  const theirs = [
    ...['haproxy.cfg.orig', 'haproxy.cfg.dpkg-dist', 'haproxy.cfg.bak', '.haproxy.cfg.swp'].map(
      (name) => `/etc/haproxy/${name}`,
    ),
    ...['keepalived.conf.sample', 'keepalived.conf.bak', 'vrrp-nodes.json.orig', 'monitor-user.conf'].map(
      (name) => `/etc/hawser-keepalived/${name}`,
    ),
  ];
  await node.install();
  runMonitors();
  for (const path of theirs) node.write(path, 'theirs');
  expect(await node.run('uninstall')).toMatchObject({ exitCode: 0, stderr: '' });
  expect(node.tree().filter((line) => line.endsWith(' 644'))).toEqual(
    theirs.toSorted().map((path) => `${path} 644`),
  );
});

test('a configuration that replaced hawser’s is kept, next to the earlier copy', async () => {
  node.write('/etc/haproxy/haproxy.cfg', fixture('guide-haproxy.cfg'));
  await node.install();
  node.write('/etc/haproxy/haproxy.cfg', 'global\n');
  const result = await node.run('uninstall');
  expect(result).toMatchObject({ exitCode: 0, stderr: '' });
  expect(result.stdout).toContain("/etc/haproxy/haproxy.cfg is not hawser's: it stays");
  expect(node.read('/etc/haproxy/haproxy.cfg')).toBe('global\n');
  expect(node.read('/etc/haproxy/haproxy.cfg.before-hawser')).toBe(fixture('guide-haproxy.cfg'));
});

test('a file that a monitor moved aside is restored too', async () => {
  await node.install();
  runMonitors();
  node.write('/etc/haproxy/haproxy.cfg.before-hawser', fixture('debian-haproxy.cfg'));
  expect(await node.run('uninstall')).toMatchObject({ exitCode: 0, stderr: '' });
  expect(node.read('/etc/haproxy/haproxy.cfg')).toBe(fixture('debian-haproxy.cfg'));
});

test('an older copy is not overwritten: the install is refused and changes nothing', async () => {
  node.write('/etc/haproxy/haproxy.cfg', fixture('debian-haproxy.cfg'));
  node.write('/etc/haproxy/haproxy.cfg.before-hawser', 'older');
  const before = node.tree('exact');
  expect(await node.install()).toMatchObject({
    exitCode: 2,
    stderr: expect.stringMatching(/Cannot keep "\/etc\/haproxy\/haproxy\.cfg" as .*that file exists already/),
  });
  expect(node.tree('exact')).toEqual(before);
});

test('--dry-run says what would be moved and which service reads it, and moves nothing', async () => {
  node.write('/etc/haproxy/haproxy.cfg', fixture('debian-haproxy.cfg'));
  node.write('/etc/systemd/system/multi-user.target.wants/haproxy.service', '');
  const before = node.tree('exact');
  const result = await node.install('--dry-run');
  expect(result).toMatchObject({ exitCode: 0, stderr: '' });
  expect(result.stdout).toContain('~ /etc/haproxy/haproxy.cfg -> /etc/haproxy/haproxy.cfg.before-hawser\n');
  expect(result.stdout).toContain('haproxy.service reads it: systemctl disable --now haproxy.service');
  expect(node.tree('exact')).toEqual(before);
});

test('the output of an edited template without the mark is hawser’s: upgrades keep it and uninstall removes it', async () => {
  await node.install();
  const before = node.tree();
  for (const name of ['haproxy.cfg', 'haproxy.cfg.last-good']) node.write(`/etc/haproxy/${name}`, 'global\n');
  node.write('/etc/hawser-keepalived/keepalived.conf.left', 'global_defs {}\n');
  expect(await node.run('install', '--yes', '--image', 'registry.example/hawser:9')).toMatchObject({
    exitCode: 0,
    stderr: '',
  });
  expect(node.read('/etc/haproxy/haproxy.cfg')).toBe('global\n');
  expect(before.length).toBeLessThan(node.tree().length);
  expect(await node.run('uninstall')).toMatchObject({ exitCode: 0, stderr: '' });
  expect(node.tree()).toEqual([]);
});
