import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { parse } from 'yaml';
import { createInstallNode, type InstallNode } from '../../../helpers/install-node.ts';

let node: InstallNode;
const template = '/etc/kubernetes/static-pod-resources/haproxy/haproxy.cfg.ejs';
const manifest = '/etc/kubernetes/manifests/haproxy.yaml';

beforeEach(async () => {
  node = await createInstallNode();
});

function edit(path: string, from: string, to: string): string {
  const text = node.read(path).replace(from, to);
  expect(text).toContain(to);
  node.write(path, text);
  return text;
}

test('an edited template survives an install and an upgrade, which show the difference', async () => {
  await node.install();
  const edited = edit(template, 'balance roundrobin', 'balance leastconn');
  const again = await node.run('install', '--yes', '--image', 'registry.example/hawser:9');
  expect(again).toMatchObject({ exitCode: 0, stderr: '' });
  expect(again.stdout).toMatch(/^-\s+balance leastconn\n\+\s+balance roundrobin$/m);
  expect(again.stdout).toContain(
    `notice: ${template} was edited and stays as it is; --overwrite replaces it`,
  );
  expect(node.read(template)).toBe(edited);
  expect(parse(node.read(manifest)).spec.containers[0].image).toBe('registry.example/hawser:9');
  // It still counts as edited: an uninstall keeps it too.
  expect((await node.run('uninstall')).stdout).toContain(`${template} was edited, kept as ${template}.saved`);
});

test('an edited manifest is kept if nothing else changes, and an install that would change it is refused', async () => {
  await node.install();
  const edited = edit(manifest, 'cpu: 50m', 'cpu: 500m');
  const same = await node.run('install', '--yes');
  expect(same).toMatchObject({ exitCode: 0, stderr: '' });
  expect(same.stdout).toContain(`notice: ${manifest} was edited and stays as it is`);
  expect(same.stdout).toContain('already up to date');
  const before = node.tree('exact');
  const changed = await node.run('install', '--yes', '--image', 'registry.example/hawser:9');
  expect(changed).toMatchObject({ exitCode: 2 });
  expect(changed.stderr).toMatch(
    /Cannot change ".*haproxy\.yaml": it was edited since .*--patches DIR.*--overwrite/,
  );
  expect(changed.stdout).toMatch(/^-\s+cpu: 500m$/m);
  expect(node.tree('exact')).toEqual(before);
  expect(node.read(manifest)).toBe(edited);
});

test('--overwrite replaces edited files and keeps a copy each time, of a manifest outside the kubelet’s folder', async () => {
  await node.install();
  const original = node.read(manifest);
  const first = edit(manifest, 'cpu: 50m', 'cpu: 500m');
  const templateText = edit(template, 'balance roundrobin', 'balance leastconn');
  expect(await node.run('install', '--yes', '--overwrite')).toMatchObject({ exitCode: 0, stderr: '' });
  expect(node.read(manifest)).toBe(original);
  expect(node.read('/etc/kubernetes/haproxy.yaml.saved')).toBe(first);
  expect(node.read(`${template}.saved`)).toBe(templateText);
  const second = edit(manifest, 'cpu: 50m', 'cpu: 600m');
  expect(await node.run('install', '--yes', '--overwrite')).toMatchObject({ exitCode: 0, stderr: '' });
  expect(node.read('/etc/kubernetes/haproxy.yaml.saved')).toBe(first);
  expect(node.read('/etc/kubernetes/haproxy.yaml.saved.2')).toBe(second);
  expect((await node.run('install', '--yes')).stdout).toContain('already up to date');
});

test('a template that existed before the first install is kept and not removed by an uninstall', async () => {
  node.write(template, '# ours\n');
  expect(await node.install()).toMatchObject({ exitCode: 0, stderr: '' });
  expect(node.read(template)).toBe('# ours\n');
  expect(await node.run('uninstall')).toMatchObject({ exitCode: 0, stderr: '' });
  expect(node.read(template)).toBe('# ours\n');
});

test('--patches changes the pods, is remembered, and survives an upgrade', async () => {
  node.write(
    '/etc/hawser/patches/haproxy.yaml',
    'spec: {containers: [{name: haproxy, resources: {requests: {cpu: 1}}}]}\n',
  );
  const cpu = () => parse(node.read(manifest)).spec.containers[0].resources.requests.cpu;
  expect(await node.install('--patches', '/etc/hawser/patches')).toMatchObject({ exitCode: 0, stderr: '' });
  expect(cpu()).toBe(1);
  await node.run('install', '--yes', '--image', 'registry.example/hawser:9');
  expect(cpu()).toBe(1);
  node.write(
    '/etc/hawser/patches/haproxy.yaml',
    'spec: {containers: [{name: haproxy, resources: {requests: {cpu: 2}}}]}\n',
  );
  await node.run('install', '--yes');
  expect(cpu()).toBe(2);
  rmSync(join(node.root, 'etc/hawser/patches'), { recursive: true });
  expect(await node.run('install', '--yes')).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining('Cannot read --patches "/etc/hawser/patches"'),
  });
  expect(cpu()).toBe(2);
});

test('--print writes every file of an install as cloud-config and changes nothing', async () => {
  const flags = ['--api-vip', '10.0.0.100', '--image', 'registry.example/hawser:9'];
  const printed = await node.run('install', ...flags, '--print');
  expect(printed).toMatchObject({ exitCode: 0, stderr: '' });
  expect(printed.stdout).toMatch(/^#cloud-config\n/);
  expect(node.tree()).toEqual([]);
  expect(await node.run('install', '--yes', ...flags)).toMatchObject({ exitCode: 0, stderr: '' });
  const { write_files: files, runcmd } = parse(printed.stdout);
  expect(runcmd).toEqual(['install -d -m 1775 -g 65529 /var/log/hawser']);
  const record = '/etc/hawser/installed.json';
  for (const { path, permissions, content } of files) {
    expect(node.tree()).toContain(`${path} ${permissions.replace(/^0/, '')}`);
    if (path !== record) expect(content).toBe(node.read(path));
  }
  expect(files).toHaveLength(
    node.tree().filter((line) => / (?:644|600)$|^\/usr\/local\/bin\/hawser /.test(line)).length,
  );
  // Later installs recognize files that were printed and then written by another program.
  node.write(record, files.find((file: { path: string }) => file.path === record).content);
  expect((await node.run('install', '--yes', ...flags)).stdout).not.toContain('was edited');
});
