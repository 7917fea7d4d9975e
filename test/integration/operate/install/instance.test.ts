import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { createInstallNode, type InstallNode } from '../../../helpers/install-node.ts';
import { ensureBuilt } from '../../../helpers/supervisor-build.ts';

const page = readFileSync(join(import.meta.dirname, '../../../../docs/instances.md'), 'utf8');
const [, settings = '', typed = ''] =
  /^cat > \/etc\/hawser\/config-b\.yaml <<'EOF'\n(.*?)^EOF\nhawser (install .*?)\n/ms.exec(page) ?? [];
const settingsPath = '/etc/hawser/config-b.yaml';
const manifest = '/etc/kubernetes/manifests/haproxy-b.yaml';

let node: InstallNode;
beforeAll(ensureBuilt);
beforeEach(async () => {
  node = await createInstallNode();
  await node.install('--image', 'registry.example/hawser:9');
});
afterEach(async () => {
  await node[Symbol.asyncDispose]();
});

/** As docs/instances.md says. */
async function installInstance() {
  node.write(settingsPath, settings);
  return await node.run(...typed.split(' '), '--yes');
}

test('an instance is installed, changed and uninstalled by its name, and nothing else changes', async () => {
  const before = node.tree('exact');
  expect(await installInstance()).toMatchObject({ exitCode: 0, stderr: '' });
  const names = (lines: readonly string[]) => lines.map((line) => line.split(' ')[0]);
  const added = names(node.tree()).filter((path) => !names(before).includes(path));
  expect(added).toEqual(
    [
      settingsPath,
      '/etc/hawser/installed-b.json',
      '/etc/haproxy-b',
      manifest,
      '/etc/kubernetes/static-pod-resources/haproxy-b',
      '/etc/kubernetes/static-pod-resources/haproxy-b/haproxy.cfg.ejs',
    ].toSorted(),
  );
  expect(node.read(manifest)).toContain('image: registry.example/hawser:9');
  const again = await node.run('install', '--instance', 'b', '--yes');
  expect(again.stdout).toContain('nothing to do');
  expect((await node.run('install', '--yes')).stdout).toContain('nothing to do');

  node.write(settingsPath, settings.replace('29464', '29465'));
  expect((await node.run('install', '--instance', 'b', '--yes')).stdout).toMatch(/^\+\s+port: 29465$/m);

  expect(await node.run('uninstall')).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining('hawser uninstall --instance b'),
  });
  for (const program of ['haproxy-monitor', 'haproxy-monitor-b'])
    node.write(`/var/log/hawser/${program}.000000000001.jsonl`, 'x');
  for (const table of ['hawser_api_redirect', 'hawser_api_redirect-b'])
    await node.namespace.run('nft', `add table inet ${table}`);
  expect(await node.run('uninstall', '--instance', 'b')).toMatchObject({ exitCode: 0, stderr: '' });
  expect(await node.namespace.run('nft', 'list', 'tables')).toBe('table inet hawser_api_redirect\n');
  expect(names(node.tree())).toEqual(
    [...names(before), '/var/log/hawser/haproxy-monitor.000000000001.jsonl'].toSorted(),
  );
});

test('an instance without ports, with those of another, or with flags for keepalived is refused', async () => {
  const asked = ['install', '--instance', 'b', '--supervisor-listen', '127.0.0.1:29461', '--yes'];
  const refused = async (expected: string, ...flags: readonly string[]) =>
    expect(await node.run(...asked, ...flags)).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining(expected),
    });
  const before = node.tree('exact');
  await refused('--lb-port, --health-port');
  await refused('Cannot use --first-node with --instance', '--first-node');
  expect(await node.run('install', '--instance', 'b', '--yes')).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining('--supervisor-listen'),
  });
  expect(node.tree('exact')).toEqual(before);
});
