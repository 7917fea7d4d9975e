import * as z from 'zod/mini';
import type { CommandSpec } from '../cli/command-line.ts';
import { absolutePath } from '../cli/fields.ts';
import { parseSettings } from '../cli/parse-settings.ts';

export const supportBundleCommand: CommandSpec = {
  name: 'support-bundle',
  summary:
    'Writes one compressed tar to stdout: status, timeline, doctor, logs and configurations of this node.',
  positionals: [],
  flags: [{ flag: '--root <path>', help: "where the node's files are, in a container", default: '/' }],
  examples: [['hawser support-bundle > hawser-support.tar.gz']],
  notes: [
    'It holds no kubeconfig, certificate or key, and passwords in configurations are replaced by ***. It does hold names and addresses: read it before you hand it on.',
    'What could not be had is in errors.txt. Exit codes: 0 written, 1 it could not be written, 2 usage, or stdout is a terminal.',
  ],
};

const schema = z.object({ root: absolutePath });

export function supportBundleSettings(values: Readonly<Record<string, unknown>>): z.infer<typeof schema> {
  return parseSettings(schema, values);
}
