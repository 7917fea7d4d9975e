import { readCommandLine } from '../config/command-line.ts';
import { keepalivedClientSettings, keepalivedStopCommand } from '../config/keepalived-client-settings.ts';
import { request } from '../protocol/request.ts';
import { answerOrComplaint } from './supervisor-answer.ts';

/** `hawser keepalived stop`. */
export async function run(argv: readonly string[], env: NodeJS.ProcessEnv): Promise<number> {
  const line = readCommandLine(keepalivedStopCommand, argv, env);
  if (line.kind === 'help') {
    process.stdout.write(line.text);
    return 0;
  }
  const { socket, timeout } = keepalivedClientSettings(line.values);
  const answer = answerOrComplaint(socket, await request(socket, 'stop', { timeoutMs: timeout }));
  if (answer === undefined) return 1;
  process.stdout.write('keepalived is down, no VIP is left\n');
  return 0;
}
