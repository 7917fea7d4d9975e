import { readCommandLine } from '../config/command-line.ts';
import { keepalivedClientSettings, keepalivedReloadCommand } from '../config/keepalived-client-settings.ts';
import { request } from '../protocol/request.ts';
import { answerOrComplaint } from './supervisor-answer.ts';

/** `hawser keepalived reload`: prints one line, and keepalived's own words where it refused. */
export async function run(argv: readonly string[], env: NodeJS.ProcessEnv): Promise<number> {
  const line = readCommandLine(keepalivedReloadCommand, argv, env);
  if (line.kind === 'help') {
    process.stdout.write(line.text);
    return 0;
  }
  const { socket, timeout } = keepalivedClientSettings(line.values);
  const answer = answerOrComplaint(socket, await request(socket, 'reload', { timeoutMs: timeout }));
  if (answer === undefined) return 1;
  process.stdout.write(
    `keepalived runs on configuration ${answer.generation}, pid ${answer.pid}, after ${answer.tookMs} ms\n`,
  );
  return 0;
}
