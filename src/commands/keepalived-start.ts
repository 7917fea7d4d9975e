import { readCommandLine } from '../config/command-line.ts';
import { keepalivedClientSettings, keepalivedStartCommand } from '../config/keepalived-client-settings.ts';
import { request } from '../protocol/request.ts';
import { answerOrComplaint } from './supervisor-answer.ts';

/** `hawser keepalived start`. */
export async function run(argv: readonly string[], env: NodeJS.ProcessEnv): Promise<number> {
  const line = readCommandLine(keepalivedStartCommand, argv, env);
  if (line.kind === 'help') {
    process.stdout.write(line.text);
    return 0;
  }
  const { socket, timeout } = keepalivedClientSettings(line.values);
  const answer = answerOrComplaint(socket, await request(socket, 'start', { timeoutMs: timeout }));
  if (answer === undefined) return 1;
  process.stdout.write(`keepalived runs, pid ${answer.pid}\n`);
  return 0;
}
