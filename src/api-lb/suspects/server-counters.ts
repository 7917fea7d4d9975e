import { parseHostPort } from '../../engine/system/network/address-text.ts';
import type { TcpAddress } from '../../engine/system/network/probe-tcp.ts';
import { type Cell, countIn, SERVER, statisticsRows } from '../../haproxy/text/statistics.ts';
import { extraPortOf } from '../extra-ports/extra-ports.ts';

/** Whether `backend` is the API servers' backend of `templates/haproxy.cfg.ejs`. */
export function isApiServers(backend: string): boolean {
  return backend === 'masters';
}

/** HAProxy's counters for a server that can serve clients, since the worker started. */
export interface ServerCounters {
  /** `masters/cp-1`. */
  readonly name: string;
  /** The server whose health checks apply: the same, or the one that it tracks. */
  readonly checkedAs: string;
  readonly address: TcpAddress;
  /** Receives new connections. */
  readonly isUp: boolean;
  /** Failed connection attempts, including those that were retried. */
  readonly failedAttempts: number;
  readonly redispatched: number;
  /** The longest time to establish a connection, including failed attempts before it. */
  readonly longestConnectMs: number;
  /** Connections assigned to the server. Counted at once. */
  readonly chosen: number;
  /** HAProxy counts these bytes when the connection ends. */
  readonly bytesFromServer: number;
}

/**
 * Parses the output of `show stat` into the API servers with an address, at the API port and at extra ports. Omits servers that exist only to be
 * tracked. Undefined for any other text.
 */
export function parseServerCounters(csv: string): readonly ServerCounters[] | undefined {
  const rows = statisticsRows(csv);
  if (rows === undefined) return undefined;
  const isServed = (name: string): boolean => {
    const backend = name.slice(0, name.indexOf('/'));
    return isApiServers(backend) || extraPortOf(backend) !== undefined;
  };
  const tracked = new Set<string>();
  const found: ServerCounters[] = [];
  let hasApiServers = false;
  // Processes one row at a time: collecting the cells of thousands of servers costs more than reading them.
  for (const cell of rows) {
    if (cell('type') !== SERVER) continue;
    tracked.add(cell('tracked'));
    hasApiServers ||= isApiServers(cell('pxname'));
    const server = countersIn(cell);
    if (server !== undefined) found.push(server);
  }
  return found.filter(({ name }) => !tracked.has(name) && (!hasApiServers || isServed(name)));
}

/** Undefined for a server without an address: a Unix socket or an unresolved name. */
function countersIn(cell: Cell): ServerCounters | undefined {
  const address = parseHostPort(cell('addr'));
  if (address === undefined) return undefined;
  const name = `${cell('pxname')}/${cell('svname')}`;
  const count = (column: string): number => countIn(cell, column);
  return {
    name,
    checkedAs: cell('tracked') || name,
    address,
    isUp: cell('status').startsWith('UP'),
    failedAttempts: count('econ') + count('wretr') + count('wredis'),
    redispatched: count('wredis'),
    longestConnectMs: count('ctime_max'),
    chosen: count('lbtot'),
    bytesFromServer: count('bout'),
  };
}
