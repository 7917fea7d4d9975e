import { get as getPlain } from 'node:http';
import { get as getSecure } from 'node:https';
import type { HealthUrl } from '../model/health-url.ts';

/**
 * Whether the server answers its health URL with 2xx in time. Its certificate is not verified: nothing is sent to it
 * that anybody could not know, and only its liveness counts. Never rejects.
 */
export function askHealth(url: HealthUrl, timeoutMs: number, signal: AbortSignal): Promise<boolean> {
  const { secure, host, port, path } = url;
  return new Promise((resolve) => {
    const bounded = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
    const options = { host, port, path, agent: false, signal: bounded, rejectUnauthorized: false } as const;
    const question = (secure ? getSecure : getPlain)(options, (answer) => {
      const status = answer.statusCode ?? 0;
      resolve(status >= 200 && status <= 299);
      // Whatever else it says is of no interest, and might never end.
      answer.once('error', () => undefined);
      answer.destroy();
    });
    question.once('error', () => resolve(false));
  });
}
