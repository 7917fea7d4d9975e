import { request } from 'node:https';
import type { ApiServer } from '../model/api-server.ts';
import { endpointOf } from '../model/choose-servers.ts';

/**
 * Whether an API server still answers `/readyz`, for the loss guard. Like HAProxy's own check it sends no credentials
 * and verifies no certificate, since only the liveness counts; a 401 or 403 (`--anonymous-auth=false`) is the answer
 * of a living server, a 500 and silence for `timeoutMs` are not. Never throws.
 */
export async function probeReadyz(
  server: ApiServer,
  settings: { readonly timeoutMs: number; readonly signal: AbortSignal },
): Promise<boolean> {
  const signal = AbortSignal.any([settings.signal, AbortSignal.timeout(settings.timeoutMs)]);
  return await new Promise<boolean>((resolve) => {
    const url = `https://${endpointOf(server)}/readyz`;
    const outgoing = request(url, { agent: false, rejectUnauthorized: false, signal }, (response) => {
      resolve(response.statusCode !== undefined && response.statusCode < 500);
      response.on('error', () => undefined);
      response.destroy();
    });
    outgoing.on('error', () => resolve(false));
    outgoing.end();
  });
}
