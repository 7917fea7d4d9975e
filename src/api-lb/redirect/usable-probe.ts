import { ask } from '../../engine/system/network/ask.ts';
import type { UsableSample } from './usable.ts';

/**
 * Asks this node's HAProxy whether any of its servers is up (`/haproxy_monitor` of the template), over a connection of
 * its own: a kept one would go on asking a draining generation. Never rejects. A refused connection, no answer within
 * `timeoutMs` and 5xx are `failed`: a client would fare no better. Any other status but 200 is `unknown`: a custom
 * template may not have the page, and an aborted request has no answer.
 */
export async function probeUsable(
  healthPort: number,
  { host = '127.0.0.1', ...limits }: ProbeOptions,
): Promise<UsableSample> {
  const question = { host, port: healthPort, path: '/haproxy_monitor', tls: undefined };
  const answer = await ask(question, limits);
  if (answer.kind === 'silent') return limits.signal?.aborted === true ? 'unknown' : 'failed';
  if (answer.status === 200) return 'ok';
  return answer.status >= 500 ? 'failed' : 'unknown';
}

interface ProbeOptions {
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
  readonly host?: string;
}
