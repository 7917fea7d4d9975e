import { request } from 'node:https';
import type { HealthAnswer } from '../system/network/ask-health.ts';
import { patientTimeout } from '../system/time/patient-timeout.ts';
import { timeoutReason } from '../system/time/timeout-reason.ts';
import type { ApiServer } from './control-plane/api-server.ts';
import { endpointOf } from './control-plane/choose-servers.ts';

/** Whether an API server still answers `/readyz`, for the loss guard. Never throws. */
export async function probeReadyz(
  server: ApiServer,
  settings: { readonly timeoutMs: number; readonly signal: AbortSignal },
): Promise<boolean> {
  return (await askReadyz(server, settings)).ok;
}

/**
 * An API server's answer to `/readyz`. Like HAProxy's own check, it sends no credentials and verifies no certificate,
 * since only liveness counts. A living server may answer 401 or 403 (`--anonymous-auth=false`). A 500 counts as a
 * failure, and so does silence for `timeoutMs`. Never throws.
 */
export async function askReadyz(
  server: ApiServer,
  { timeoutMs, signal }: { readonly timeoutMs: number; readonly signal: AbortSignal },
): Promise<HealthAnswer> {
  const timeout = patientTimeout(timeoutMs);
  const options = {
    agent: false,
    rejectUnauthorized: false,
    signal: AbortSignal.any([signal, timeout]),
  } as const;
  return await new Promise<HealthAnswer>((resolve) => {
    const url = `https://${endpointOf(server)}/readyz`;
    const outgoing = request(url, options, (response) => {
      const { statusCode = 500 } = response;
      resolve({ ok: statusCode < 500, said: `HTTP ${statusCode}` });
      response.on('error', () => undefined);
      response.destroy();
    });
    outgoing.on('error', (error) => resolve({ ok: false, said: timeoutReason(error, timeout, timeoutMs) }));
    outgoing.end();
  });
}
