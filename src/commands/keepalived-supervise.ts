import { readCommandLine } from '../cli/command-line.ts';
import {
  keepalivedSuperviseCommand,
  keepalivedSuperviseSettings,
} from '../keepalived/supervise/keepalived-supervise-settings.ts';
import { superviseKeepalived } from '../keepalived/supervise/supervise-keepalived.ts';

export async function run(argv: readonly string[], env: NodeJS.ProcessEnv): Promise<number> {
  const line = readCommandLine(keepalivedSuperviseCommand, argv, env);
  if (line.kind === 'help') {
    process.stdout.write(line.text);
    return 0;
  }
  return await superviseKeepalived(keepalivedSuperviseSettings(line.values));
}
