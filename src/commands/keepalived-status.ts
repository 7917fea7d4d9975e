import type { SettingsOf } from '../cli/command-spec.ts';
import { structuredWriter } from '../cli/structured-text.ts';
import { request } from '../engine/control/request.ts';
import { keepalivedStatusCommand } from '../keepalived/supervise/keepalived-client-settings.ts';
import { vrrpStatusSchema } from '../keepalived/supervise/vrrp-status.ts';
import { vrrpStatusLines } from '../keepalived/supervise/vrrp-status-lines.ts';
import { answerOrComplaint } from './supervisor-answer.ts';

export const spec = keepalivedStatusCommand;

export async function run({ socket, timeout, json, alive }: SettingsOf<typeof spec>): Promise<number> {
  const answer = answerOrComplaint(socket, await request(socket, 'status', { timeoutMs: timeout }));
  if (answer === undefined) return 1;
  const status = vrrpStatusSchema.parse(answer);
  const write = await structuredWriter(json);
  process.stdout.write(json ? `${write(answer)}\n` : `${vrrpStatusLines(status).join('\n')}\n`);
  if (status.trouble !== undefined) return 1;
  return alive === true || status.phase === 'running' || status.phase === 'down' ? 0 : 1;
}
