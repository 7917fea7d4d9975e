import { askHealth, type HealthAnswer } from '../system/network/ask-health.ts';
import type { ApiServer } from './api-server.ts';

/**
 * An API server's answer to `/readyz`. Like the load balancer's own check, it sends no credentials and verifies no certificate,
 * since only liveness counts. A living server may answer 401 or 403 (`--anonymous-auth=false`). A 500 counts as a
 * failure, and so does silence for `timeoutMs`. Never throws.
 */
export async function askReadyz(
  { address: host, port }: Pick<ApiServer, 'address' | 'port'>,
  { timeoutMs, signal }: { readonly timeoutMs: number; readonly signal: AbortSignal },
): Promise<HealthAnswer> {
  const url = { secure: true, host, port, path: '/readyz' };
  return await askHealth(url, timeoutMs, signal, (status) => status < 500);
}
