import { askHealth, type HealthAnswer } from '../system/network/ask-health.ts';
import type { ApiServer } from './api-server.ts';

/**
 * Requests `/readyz` of an API server. Like the load balancer's check, it sends no credentials and verifies no certificate, because only liveness
 * matters. A live server may answer 401 or 403 (`--anonymous-auth=false`). A status of 500 or above, or no answer within `timeoutMs`, is a failure.
 * Never throws.
 */
export async function askReadyz(
  { address: host, port }: Pick<ApiServer, 'address' | 'port'>,
  { timeoutMs, signal }: { readonly timeoutMs: number; readonly signal: AbortSignal },
): Promise<HealthAnswer> {
  const url = { secure: true, host, port, path: '/readyz' };
  return await askHealth(url, timeoutMs, signal, (status) => status < 500);
}
