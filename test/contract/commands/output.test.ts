import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { runCommand } from '../../../src/engine/system/process/run-command.ts';
import { ensureBuilt, hawser } from '../../helpers/supervisor-build.ts';

ensureBuilt();
const run = (...argv: readonly string[]) => runCommand([hawser, ...argv], { timeoutMs: 30_000 });

test('hawser version tells the programs that it runs, and its own commit, as text, JSON and YAML', async () => {
  const json = JSON.parse((await run('version', '--json')).stdout);
  expect(json).toEqual({
    hawser: expect.stringMatching(/^\d+\.\d+\.\d+$/),
    commit: expect.toBeOneOf([null, expect.stringMatching(/^[0-9a-f]{40}$/)]),
    haproxy: expect.stringMatching(/^\d+\.\d+\.\d+$/),
    keepalived: expect.stringMatching(/^\d+\.\d+\.\d+$/),
    node: process.versions.node,
    clusters: expect.arrayContaining([expect.stringContaining('Kubernetes 1.34.9')]),
  });
  expect(JSON.parse((await run('version', '-o', 'json')).stdout)).toEqual(json);
  expect(parse((await run('version', '-oyaml')).stdout)).toEqual(json);
  expect((await run('version')).stdout).toContain(`haproxy ${json.haproxy}\n`);
});

test('a format that there is not is a usage error', async () => {
  expect(await run('version', '-o', 'wide')).toMatchObject({
    exitCode: 2,
    stderr: 'Cannot use --output "wide": expected json or yaml\n',
  });
});

test('a report in YAML has the fields of its JSON', async () => {
  const flags = ['doctor', '--only', 'settings-file', '--root', '/nowhere'];
  const json = JSON.parse((await run(...flags, '--json')).stdout);
  expect(Object.keys(parse((await run(...flags, '--output=yaml')).stdout))).toEqual(Object.keys(json));
});

test('--api-vip and --api-vips mean the same to every command, and so do their variables', async () => {
  const shown = async (...flags: readonly string[]) => (await run('show-config', ...flags)).stdout;
  const inputs = ['/k', '/t', '/c', '--source', 'static', '--servers', 'a=10.0.0.1'];
  const plural = await shown(...inputs, '--api-vips', '10.0.0.100');
  expect(plural).toContain('10.0.0.100');
  expect((await shown(...inputs, '--api-vip', '10.0.0.100')).replaceAll('--api-vip"', '--api-vips"')).toBe(
    plural,
  );
  const { stderr } = await runCommand(['env', 'HAWSER_API_VIP=nonsense', hawser, 'show-config', ...inputs], {
    timeoutMs: 30_000,
  });
  expect(stderr).toContain('nonsense');
});
