import { readCommandLine } from '../cli/command-line.ts';
import { structuredWriter } from '../cli/structured-text.ts';
import { request } from '../engine/control/request.ts';
import { haproxyClientSettings, haproxyStatusCommand } from '../haproxy/supervise/haproxy-client-settings.ts';
import { statusLines } from '../haproxy/supervise/status-lines.ts';
import { supervisorStatusSchema } from '../haproxy/supervise/supervisor-status.ts';
import { answerOrComplaint } from './supervisor-answer.ts';

export async function run(argv: readonly string[], env: NodeJS.ProcessEnv): Promise<number> {
  const line = readCommandLine(haproxyStatusCommand, argv, env);
  if (line.kind === 'help') {
    process.stdout.write(line.text);
    return 0;
  }
  const { socket, timeout, json } = haproxyClientSettings(line.values);
  const answer = answerOrComplaint(socket, await request(socket, 'status', { timeoutMs: timeout }));
  if (answer === undefined) return 1;
  const status = supervisorStatusSchema.parse(answer);
  const write = await structuredWriter(json);
  process.stdout.write(json ? `${write(answer)}\n` : `${statusLines(status).join('\n')}\n`);
  return status.current === null ? 1 : 0;
}
