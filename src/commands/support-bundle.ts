import type { SettingsOf } from '../cli/command-spec.ts';
import { ConfigError } from '../engine/system/errors.ts';
import { writeSupportBundle } from '../operate/support-bundle.ts';
import { supportBundleCommand } from '../operate/support-bundle-settings.ts';
import { pods } from './pods.ts';

export const spec = supportBundleCommand;

export async function run({ root }: SettingsOf<typeof spec>): Promise<number> {
  if (process.stdout.isTTY)
    throw new ConfigError(['Cannot write a tar to a terminal: expected hawser support-bundle > FILE.tar.gz']);
  return await writeSupportBundle(root, pods);
}
