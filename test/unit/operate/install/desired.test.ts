import { expect, test } from 'vitest';
import { settingsTyped } from '../../../../src/cli/command-line.ts';
import { installable } from '../../../../src/commands/pods.ts';
import { desiredSettings } from '../../../../src/operate/install/desired.ts';
import type { Disk } from '../../../../src/operate/install/disk.ts';
import { installCommand } from '../../../../src/operate/install/install-settings.ts';
import { layout } from '../../../../src/operate/install/layout.ts';

test.each([
  ['0042', '0042'],
  ['prod', 'prod'],
])('the cluster name %s in the settings file is the one that the daemons read', (text, name) => {
  const content = Buffer.from(`clusterName: ${text}\n`);
  const file = { kind: 'file', content, mode: 0o644, isLink: false } as const;
  const disk: Disk = { record: undefined, at: (path) => (path === layout.settings ? file : undefined) };
  const options = settingsTyped(installCommand, ['--api-vip', '10.0.0.100'], {}, () => undefined);
  expect(desiredSettings(options, disk, installable).givenName).toBe(name);
});

test.each([
  ['a section in which everything is commented out', 'keepalived:\n  # settle: 1s\n', undefined],
  ['a syntax error, which is reported with its line', 'keepalived: [\n', /config\.yaml:2/],
])('the settings file may have %s', (_, text, problem) => {
  const file = { kind: 'file', content: Buffer.from(text), mode: 0o644, isLink: false } as const;
  const disk: Disk = { record: undefined, at: (path) => (path === layout.settings ? file : undefined) };
  const typed = ['--api-vip', '10.0.0.100', '--first-node'];
  const options = settingsTyped(installCommand, typed, {}, () => undefined);
  const result = () => desiredSettings(options, disk, installable).text;
  if (problem !== undefined) expect(result).toThrow(problem);
  else expect(result().split('\n')).toEqual(expect.arrayContaining(['  # settle: 1s', '  firstNode: true']));
});
