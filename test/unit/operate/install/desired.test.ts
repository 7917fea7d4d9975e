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
