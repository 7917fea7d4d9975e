import { request } from '../../engine/control/request.ts';
import { type SupervisorStatus, supervisorStatusSchema } from '../../haproxy/supervise/supervisor-status.ts';
import { type VrrpStatus, vrrpStatusSchema } from '../../keepalived/supervise/vrrp-status.ts';

/** A supervisor's status, or why there is none. */
export type StatusReading<Status> =
  | { readonly kind: 'answered'; readonly status: Status }
  | { readonly kind: 'silent'; readonly reason: string };

export async function haproxyStatus(
  socket: string,
  timeoutMs: number,
): Promise<StatusReading<SupervisorStatus>> {
  return await lookAt(socket, timeoutMs, (answer) => supervisorStatusSchema.safeParse(answer).data);
}

export async function keepalivedStatus(
  socket: string,
  timeoutMs: number,
): Promise<StatusReading<VrrpStatus>> {
  return await lookAt(socket, timeoutMs, (answer) => vrrpStatusSchema.safeParse(answer).data);
}

async function lookAt<Status>(
  socket: string,
  timeoutMs: number,
  parse: (answer: unknown) => Status | undefined,
): Promise<StatusReading<Status>> {
  const outcome = await request(socket, 'status', { timeoutMs });
  if (outcome.kind === 'unreachable') return { kind: 'silent', reason: outcome.message };
  const status = outcome.kind === 'answered' ? parse(outcome.answer) : undefined;
  if (status !== undefined) return { kind: 'answered', status };
  return { kind: 'silent', reason: 'its answer is not in the format of hawser' };
}
