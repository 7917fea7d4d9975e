import { askPage } from '../engine/system/network/ask-page.ts';
import { parseServerRows, type ServerRow } from './server-rows.ts';

type StatisticsAnswer =
  | { readonly kind: 'servers'; readonly servers: readonly ServerRow[] }
  | { readonly kind: 'silent'; readonly message: string };

/**
 * The API servers as this node's HAProxy sees them, from its statistics page on loopback: the runtime API's socket is in a volume of its pod.
 * Never rejects.
 */
export async function askStatistics(
  statPort: number,
  options: { readonly timeoutMs: number; readonly signal?: AbortSignal | undefined },
): Promise<StatisticsAnswer> {
  const answer = await askPage({ host: '127.0.0.1', port: statPort }, '/haproxy_stats;csv', options);
  if (answer.kind === 'silent') return answer;
  const servers = answer.status === 200 ? parseServerRows(answer.text) : undefined;
  if (servers !== undefined) return { kind: 'servers', servers };
  return { kind: 'silent', message: `HTTP ${answer.status} without statistics` };
}
