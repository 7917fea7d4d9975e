import { commandSpec, type SettingsOf } from '../cli/command-spec.ts';
import { root } from '../cli/shared-flags.ts';
import { ConfigError } from '../engine/system/errors.ts';
import { writeSupportBundle } from '../operate/support-bundle.ts';
import { pods } from './pods.ts';

export const spec = commandSpec({
  name: 'support-bundle',
  summary:
    'Writes one compressed tar to stdout: status, timeline, doctor, logs and configurations of this node.',
  flags: { root },
  examples: [['hawser support-bundle > hawser-support.tar.gz']],
  notes: [
    'It contains no kubeconfig, certificate or key, and passwords in configurations are replaced by ***. It does contain names and addresses: read it before you share it.',
    'errors.txt lists what could not be collected. Exit codes: 0 written, 1 not written, 2 usage, or stdout is a terminal.',
  ],
});

export async function run(settings: SettingsOf<typeof spec>): Promise<number> {
  if (process.stdout.isTTY)
    throw new ConfigError(['Cannot write a tar to a terminal: expected hawser support-bundle > FILE.tar.gz']);
  return await writeSupportBundle(settings.root, pods);
}
