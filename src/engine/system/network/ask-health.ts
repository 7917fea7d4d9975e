import { get as getPlain } from 'node:http';
import { get as getSecure } from 'node:https';
import { patientTimeout } from '../time/patient-timeout.ts';
import { timeoutReason } from '../time/timeout-reason.ts';
import type { HealthUrl } from './health-url.ts';

/** `said` is `HTTP 503`, or why there is no answer. */
export interface HealthAnswer {
  readonly ok: boolean;
  readonly said: string;
}

/**
 * Whether the server answers its health URL with 2xx in time. Its certificate is not verified: nothing is sent to it
 * that a caller could not know, and only its liveness counts. Never rejects.
 */
export function askHealth(url: HealthUrl, timeoutMs: number, signal: AbortSignal): Promise<HealthAnswer> {
  const { secure, host, port, path } = url;
  return new Promise((resolve) => {
    const timeout = patientTimeout(timeoutMs);
    const bounded = AbortSignal.any([signal, timeout]);
    const options = { host, port, path, agent: false, signal: bounded, rejectUnauthorized: false } as const;
    const question = (secure ? getSecure : getPlain)(options, (answer) => {
      const status = answer.statusCode ?? 0;
      resolve({ ok: status >= 200 && status <= 299, said: `HTTP ${status}` });
      // The rest of the answer is not needed, and might never end.
      answer.once('error', () => undefined);
      answer.destroy();
    });
    question.once('error', (error) => resolve({ ok: false, said: timeoutReason(error, timeout, timeoutMs) }));
  });
}
