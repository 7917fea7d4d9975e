import type { SettingsOf } from '../cli/command-spec.ts';
import { structuredWriter } from '../cli/structured-text.ts';
import { request } from '../engine/control/request.ts';
import { haproxyStatusCommand } from '../haproxy/supervise/haproxy-client-settings.ts';
import { statusLines } from '../haproxy/supervise/status-lines.ts';
import { supervisorStatusSchema } from '../haproxy/supervise/supervisor-status.ts';
import { answerOrComplaint } from './supervisor-answer.ts';

export const spec = haproxyStatusCommand;

export async function run({ socket, timeout, json }: SettingsOf<typeof spec>): Promise<number> {
  const answer = answerOrComplaint(socket, await request(socket, 'status', { timeoutMs: timeout }));
  if (answer === undefined) return 1;
  const status = supervisorStatusSchema.parse(answer);
  const write = await structuredWriter(json);
  process.stdout.write(json ? `${write(answer)}\n` : `${statusLines(status).join('\n')}\n`);
  return status.current === null ? 1 : 0;
}
