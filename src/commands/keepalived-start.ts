import { readCommandLine } from '../cli/command-line.ts';
import {
  keepalivedClientSettings,
  keepalivedStartCommand,
} from '../keepalived/supervise/keepalived-client-settings.ts';
import { printAnswer } from './supervisor-answer.ts';

export async function run(argv: readonly string[], env: NodeJS.ProcessEnv): Promise<number> {
  const line = readCommandLine(keepalivedStartCommand, argv, env);
  if (line.kind === 'help') {
    process.stdout.write(line.text);
    return 0;
  }
  return await printAnswer(
    keepalivedClientSettings(line.values),
    'start',
    ({ pid }) => `keepalived runs, pid ${pid}`,
  );
}
