import { get } from 'node:http';
import { patientTimeout } from '../engine/system/time/patient-timeout.ts';
import type { UsableSample } from './usable.ts';

/**
 * Asks this node's HAProxy whether any of its servers is up (`/haproxy_monitor` of the template). Never rejects. A
 * refused connection, no answer within `timeoutMs` and 5xx are `failed`: a client would fare no better. Any other
 * status but 200 is `unknown`: a custom template may not have the page, and an aborted request has no answer.
 */
export function probeUsable(
  healthPort: number,
  options: { readonly timeoutMs: number; readonly signal?: AbortSignal; readonly host?: string },
): Promise<UsableSample> {
  return new Promise((resolve) => {
    const timeout = patientTimeout(options.timeoutMs);
    const signal = options.signal === undefined ? timeout : AbortSignal.any([timeout, options.signal]);
    const question = get(
      // A connection of its own for each look: a kept one would go on asking a draining generation.
      { host: options.host ?? '127.0.0.1', port: healthPort, path: '/haproxy_monitor', agent: false, signal },
      (answer) => {
        answer.resume();
        resolve(sampleOf(answer.statusCode));
      },
    );
    question.once('error', () => resolve(options.signal?.aborted === true ? 'unknown' : 'failed'));
  });
}

function sampleOf(status: number | undefined): UsableSample {
  if (status === 200) return 'ok';
  return status !== undefined && status >= 500 ? 'failed' : 'unknown';
}
