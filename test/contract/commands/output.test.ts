import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { hawserHere } from '../../helpers/hawser-here.ts';

test('hawser version prints its own commit and the versions of its programs, as text, JSON and YAML', async () => {
  const json = JSON.parse((await hawserHere('version', ['--json'])).stdout);
  expect(json).toEqual({
    hawser: expect.stringMatching(/^\d+\.\d+\.\d+$/),
    commit: expect.toBeOneOf([null, expect.stringMatching(/^[0-9a-f]{40}$/)]),
    haproxy: expect.stringMatching(/^\d+\.\d+\.\d+$/),
    keepalived: expect.stringMatching(/^\d+\.\d+\.\d+$/),
    node: process.versions.node,
    clusters: expect.arrayContaining([expect.stringContaining('Kubernetes 1.34.9')]),
  });
  expect(JSON.parse((await hawserHere('version', ['-o', 'json'])).stdout)).toEqual(json);
  expect(parse((await hawserHere('version', ['-oyaml'])).stdout)).toEqual(json);
  expect((await hawserHere('version', [])).stdout).toContain(`haproxy ${json.haproxy}\n`);
});

test('an unknown output format is a usage error', async () => {
  expect(await hawserHere('version', ['-o', 'wide'])).toMatchObject({
    exitCode: 2,
    stderr: 'Cannot use --output "wide": expected json or yaml\n',
  });
});

test('a report in YAML has the same fields as in JSON', async () => {
  const flags = ['--only', 'settings-file', '--root', '/nowhere'];
  const json = JSON.parse((await hawserHere('doctor', [...flags, '--json'])).stdout);
  expect(Object.keys(parse((await hawserHere('doctor', [...flags, '--output=yaml'])).stdout))).toEqual(
    Object.keys(json),
  );
});

test('--api-vip and --api-vips are equivalent in every command, and so are their variables', async () => {
  const shown = async (...flags: readonly string[]) => (await hawserHere('show-config', flags)).stdout;
  const inputs = ['/k', '/t', '/c', '--source', 'static', '--servers', 'a=10.0.0.1'];
  const plural = await shown(...inputs, '--api-vips', '10.0.0.100');
  expect(plural).toContain('10.0.0.100');
  expect((await shown(...inputs, '--api-vip', '10.0.0.100')).replaceAll('--api-vip"', '--api-vips"')).toBe(
    plural,
  );
  const { stderr } = await hawserHere('show-config', inputs, { HAWSER_API_VIP: 'nonsense' });
  expect(stderr).toContain('nonsense');
});
