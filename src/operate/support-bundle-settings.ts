import { commandSpec } from '../cli/command-spec.ts';
import { root } from '../cli/shared-flags.ts';

export const supportBundleCommand = commandSpec({
  name: 'support-bundle',
  summary:
    'Writes one compressed tar to stdout: status, timeline, doctor, logs and configurations of this node.',
  flags: { root },
  examples: [['hawser support-bundle > hawser-support.tar.gz']],
  notes: [
    'It holds no kubeconfig, certificate or key, and passwords in configurations are replaced by ***. It does hold names and addresses: read it before you hand it on.',
    'What could not be had is in errors.txt. Exit codes: 0 written, 1 it could not be written, 2 usage, or stdout is a terminal.',
  ],
});
