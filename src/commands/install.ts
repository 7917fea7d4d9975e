import { readCommandLine } from '../cli/command-line.ts';
import { install } from '../operate/install/install.ts';
import { installCommand, installSettings } from '../operate/install/install-settings.ts';

export async function run(argv: readonly string[], env: NodeJS.ProcessEnv): Promise<number> {
  const line = readCommandLine(installCommand, argv, env);
  if (line.kind === 'help') {
    process.stdout.write(line.text);
    return 0;
  }
  return await install(installSettings(line.values));
}
