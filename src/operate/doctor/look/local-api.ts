import { codeOf } from '../../../engine/system/errors.ts';
import { ask, unverified } from '../../../engine/system/network/ask.ts';

export type LocalApiReading =
  | {
      readonly kind: 'answered';
      readonly status: number;
      /** When it said what time it was, by its clock and by ours. */
      readonly serverTime: Date | undefined;
      readonly ourTime: Date;
    }
  | { readonly kind: 'closed' }
  | { readonly kind: 'failed'; readonly message: string };

/** `/readyz` as HAProxy's check asks for it: without credentials, without a look at the certificate. Never throws. */
export async function askReadyz(
  { host, port }: { readonly host: string; readonly port: number },
  { signal, answerTimeoutMs }: { readonly signal: AbortSignal; readonly answerTimeoutMs: number },
): Promise<LocalApiReading> {
  const question = { host, port, path: '/readyz', tls: unverified };
  const answer = await ask(question, { timeoutMs: answerTimeoutMs, signal });
  if (answer.kind === 'silent')
    return codeOf(answer.error) === 'ECONNREFUSED'
      ? { kind: 'closed' }
      : { kind: 'failed', message: answer.reason };
  const said = Date.parse(answer.headers.date ?? '');
  return {
    kind: 'answered',
    status: answer.status,
    serverTime: Number.isNaN(said) ? undefined : new Date(said),
    ourTime: new Date(),
  };
}
