import * as z from 'zod/mini';
import { askPage } from '../engine/system/network/ask-page.ts';
import { type Cell, countIn, parseStatistics, SERVER } from '../haproxy/text/statistics.ts';
import { extraPortOf } from './extra-ports/extra-ports.ts';
import { isApiServers } from './suspects/server-counters.ts';

/** A server as HAProxy reports it. */
export const serverRowSchema = z.object({
  name: z.string(),
  /** `10.0.0.11:6443`; empty if the configuration lacks `stats show-legends`. */
  address: z.string(),
  state: z.enum(['up', 'down', 'draining', 'maintenance', 'unchecked']),
  sinceMs: z.number(),
  /** HAProxy's message about the last check: `L7STS/500 in 3ms: Layer7 wrong status, Internal Server Error`. */
  check: z.string(),
  sessions: z.number(),
});

export type ServerRow = Readonly<z.infer<typeof serverRowSchema>>;

/** The servers of an extra port. */
export const extraRowsSchema = z.object({ name: z.string(), servers: z.array(serverRowSchema) });

export type ExtraRows = Readonly<z.infer<typeof extraRowsSchema>>;

interface Servers {
  readonly servers: readonly ServerRow[];
  readonly extraPorts: readonly ExtraRows[];
}

type StatisticsAnswer =
  | ({ readonly kind: 'servers' } & Servers)
  | { readonly kind: 'silent'; readonly message: string };

/**
 * Reads the API servers from the statistics page of this node's HAProxy on loopback. The runtime API's socket is not reachable from outside
 * HAProxy's pod. Never rejects.
 */
export async function askStatistics(
  statPort: number,
  options: { readonly timeoutMs: number; readonly signal?: AbortSignal | undefined },
): Promise<StatisticsAnswer> {
  const answer = await askPage({ host: '127.0.0.1', port: statPort }, '/haproxy_stats;csv', options);
  if (answer.kind === 'silent') return answer;
  const found = answer.status === 200 ? parseStatisticsPage(answer.text) : undefined;
  if (found !== undefined) return { kind: 'servers', ...found };
  return { kind: 'silent', message: `HTTP ${answer.status} without statistics` };
}

/**
 * Parses HAProxy's statistics (CSV) into the API servers and the servers of the extra ports. Returns all servers if a custom template names the
 * API servers' backend differently. Undefined for any other text. Source: HAProxy's management guide, "CSV format".
 */
export function parseStatisticsPage(csv: string): Servers | undefined {
  const rows = parseStatistics(csv);
  if (rows === undefined) return undefined;
  const servers = rows.filter((cell) => cell('type') === SERVER);
  const checked = new Map(servers.map((cell) => [`${cell('pxname')}/${cell('svname')}`, cell]));
  const ours = servers.filter((cell) => isApiServers(cell('pxname')));
  const rowsOf = (cells: readonly Cell[]) =>
    cells.map((cell) => rowOf(cell, checked.get(cell('tracked')) ?? cell));
  const extra = Map.groupBy(servers, (cell) => extraPortOf(cell('pxname')));
  const extraPorts = [...extra].flatMap(([name, cells]) =>
    name === undefined || ours.length === 0 ? [] : { name, servers: rowsOf(cells) },
  );
  return { servers: rowsOf(ours.length > 0 ? ours : servers), extraPorts };
}

/** `checkedCell` is the row of the server that this server tracks, whose checks apply, or the same row. */
function rowOf(cell: Cell, checkedCell: Cell): ServerRow {
  return {
    name: cell('svname'),
    address: cell('addr'),
    state: stateOf(cell('status')),
    sinceMs: countIn(cell, 'lastchg') * 1_000,
    check: checkOf(checkedCell),
    sessions: countIn(cell, 'scur'),
  };
}

/** `UP 1/3` (failing checks) is still up, and `DOWN 2/6` (passing checks) is still down. */
function stateOf(status: string): ServerRow['state'] {
  if (status.startsWith('UP')) return 'up';
  if (status.startsWith('DOWN')) return 'down';
  if (status.startsWith('MAINT')) return 'maintenance';
  return status.startsWith('NOLB') || status.startsWith('DRAIN') ? 'draining' : 'unchecked';
}

function checkOf(cell: Cell): string {
  // "* L4TOUT": another check is in progress.
  const status = cell('check_status').replace(/^\* /, '');
  if (status === '') return 'not checked';
  const code = cell('check_code') === '' ? '' : `/${cell('check_code')}`;
  const took = cell('check_duration') === '' ? '' : ` in ${cell('check_duration')}ms`;
  const means = [...new Set([cell('check_desc'), cell('last_chk')])].filter((text) => text !== '');
  // `DOWN 2/6`: two good checks since it went down, of the six required.
  const [, good, needed] = /^DOWN (\d+)\/(\d+)$/.exec(cell('status')) ?? [];
  if (cell('status').startsWith('NOLB')) means.push('set aside after an unanswered probe, or stopping');
  if (cell('status').startsWith('DRAIN')) means.push('being drained');
  if (good !== undefined && status.endsWith('OK')) means.push(`good check ${good} of ${needed}`);
  return [`${status}${code}${took}`, ...(means.length === 0 ? [] : [means.join(', ')])].join(': ');
}
