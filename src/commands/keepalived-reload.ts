import { readCommandLine } from '../cli/command-line.ts';
import {
  keepalivedClientSettings,
  keepalivedReloadCommand,
} from '../keepalived/supervise/keepalived-client-settings.ts';
import { printAnswer } from './supervisor-answer.ts';

/** `hawser keepalived reload`: prints one line, or keepalived's own message if it refused. */
export async function run(argv: readonly string[], env: NodeJS.ProcessEnv): Promise<number> {
  const line = readCommandLine(keepalivedReloadCommand, argv, env);
  if (line.kind === 'help') {
    process.stdout.write(line.text);
    return 0;
  }
  return await printAnswer(
    keepalivedClientSettings(line.values),
    'reload',
    ({ generation, pid, tookMs }) =>
      `keepalived runs on configuration ${generation}, pid ${pid}, after ${tookMs} ms`,
  );
}
