import { readCommandLine } from '../config/command-line.ts';
import { keepalivedClientSettings, keepalivedStopCommand } from '../config/keepalived-client-settings.ts';
import { request } from '../protocol/request.ts';
import { answerOrComplaint } from './supervisor-answer.ts';

/** `hawser keepalived stop [--start]`. */
export async function run(argv: readonly string[], env: NodeJS.ProcessEnv): Promise<number> {
  const line = readCommandLine(keepalivedStopCommand, argv, env);
  if (line.kind === 'help') {
    process.stdout.write(line.text);
    return 0;
  }
  const { socket, timeout, start } = keepalivedClientSettings(line.values);
  const what = start ? 'start' : 'stop';
  const answer = answerOrComplaint(socket, await request(socket, what, { timeoutMs: timeout }));
  if (answer === undefined) return 1;
  process.stdout.write(
    start ? `keepalived runs, pid ${answer.pid}\n` : 'keepalived is down, no VIP is left\n',
  );
  return 0;
}
