import { readCommandLine } from '../cli/command-line.ts';
import { haproxyClientSettings, haproxyReloadCommand } from '../haproxy/supervise/haproxy-client-settings.ts';
import { printAnswer } from './supervisor-answer.ts';

/** `hawser haproxy reload`: prints one line, or HAProxy's own message if it refused. */
export async function run(argv: readonly string[], env: NodeJS.ProcessEnv): Promise<number> {
  const line = readCommandLine(haproxyReloadCommand, argv, env);
  if (line.kind === 'help') {
    process.stdout.write(line.text);
    return 0;
  }
  return await printAnswer(
    haproxyClientSettings(line.values),
    'reload',
    ({ generation, pid, tookMs }) => `generation ${generation} serves, pid ${pid}, after ${tookMs} ms`,
  );
}
