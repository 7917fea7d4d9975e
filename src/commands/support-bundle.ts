import { readCommandLine } from '../cli/command-line.ts';
import { ConfigError } from '../engine/system/errors.ts';
import { writeSupportBundle } from '../operate/support-bundle.ts';
import { supportBundleCommand, supportBundleSettings } from '../operate/support-bundle-settings.ts';

export async function run(argv: readonly string[], env: NodeJS.ProcessEnv): Promise<number> {
  const line = readCommandLine(supportBundleCommand, argv, env);
  if (line.kind === 'help') {
    process.stdout.write(line.text);
    return 0;
  }
  const { root } = supportBundleSettings(line.values);
  if (process.stdout.isTTY)
    throw new ConfigError(['Cannot write a tar to a terminal: expected hawser support-bundle > FILE.tar.gz']);
  return await writeSupportBundle(root);
}
