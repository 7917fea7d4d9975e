import { readCommandLine } from '../config/command-line.ts';
import { keepalivedClientSettings, keepalivedStatusCommand } from '../config/keepalived-client-settings.ts';
import { structuredWriter } from '../config/structured-text.ts';
import { vrrpStatusLines } from '../observe/vrrp-status-lines.ts';
import { request } from '../protocol/request.ts';
import { vrrpStatusSchema } from '../protocol/vrrp-status.ts';
import { answerOrComplaint } from './supervisor-answer.ts';

export async function run(argv: readonly string[], env: NodeJS.ProcessEnv): Promise<number> {
  const line = readCommandLine(keepalivedStatusCommand, argv, env);
  if (line.kind === 'help') {
    process.stdout.write(line.text);
    return 0;
  }
  const { socket, timeout, json, alive } = keepalivedClientSettings(line.values);
  const answer = answerOrComplaint(socket, await request(socket, 'status', { timeoutMs: timeout }));
  if (answer === undefined) return 1;
  const status = vrrpStatusSchema.parse(answer);
  const write = await structuredWriter(json);
  process.stdout.write(json ? `${write(answer)}\n` : `${vrrpStatusLines(status).join('\n')}\n`);
  if (status.trouble !== undefined) return 1;
  return alive === true || status.phase === 'running' || status.phase === 'down' ? 0 : 1;
}
