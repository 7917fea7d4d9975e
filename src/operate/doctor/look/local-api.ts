import { request } from 'node:https';
import { codeOf, messageOf } from '../../../engine/system/errors.ts';

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
export function askReadyz(
  { host, port }: { readonly host: string; readonly port: number },
  { signal, answerTimeoutMs }: { readonly signal: AbortSignal; readonly answerTimeoutMs: number },
): Promise<LocalApiReading> {
  const limit = AbortSignal.any([signal, AbortSignal.timeout(answerTimeoutMs)]);
  return new Promise((resolve) => {
    const options = { host, port, path: '/readyz', agent: false, rejectUnauthorized: false, signal: limit };
    const outgoing = request(options, (response) => {
      const said = Date.parse(response.headers.date ?? '');
      resolve({
        kind: 'answered',
        status: response.statusCode ?? 0,
        serverTime: Number.isNaN(said) ? undefined : new Date(said),
        ourTime: new Date(),
      });
      response.on('error', () => undefined);
      response.destroy();
    });
    outgoing.on('error', (error) =>
      resolve(
        codeOf(error) === 'ECONNREFUSED'
          ? { kind: 'closed' }
          : {
              kind: 'failed',
              message: limit.aborted ? `no answer within ${answerTimeoutMs} ms` : messageOf(error),
            },
      ),
    );
    outgoing.end();
  });
}
