import { codeOf, messageOf } from '../errors.ts';

/** Why a request got no answer, in a few words. */
export function timeoutReason(error: unknown, timeout: AbortSignal, timeoutMs: number): string {
  if (timeout.aborted) return `no answer within ${timeoutMs} ms`;
  return codeOf(error) === 'ECONNREFUSED' ? 'nothing listens there' : messageOf(error);
}
