import { parseHostPort } from '../../engine/system/network/address-text.ts';
import type { TcpAddress } from '../../engine/system/network/probe-tcp.ts';
import { type Cell, countIn, SERVER, statisticsRows } from '../../haproxy/text/statistics.ts';
import { extraPortOf } from '../extra-ports/extra-ports.ts';

/** Whether this is the name of the API servers' backend in `templates/haproxy.cfg.ejs`. */
export function isApiServers(backend: string): boolean {
  return backend === 'masters';
}

/** HAProxy's counts for a server that clients may get, since its process started. */
export interface ServerCounters {
  /** `masters/cp-1`. */
  readonly name: string;
  /** The server whose checks decide: itself, or the one that it tracks. */
  readonly checkedAs: string;
  readonly address: TcpAddress;
  /** It gets new connections. */
  readonly isUp: boolean;
  /** Failed connection attempts, whether or not another followed. */
  readonly failedAttempts: number;
  readonly redispatched: number;
  /** The longest time that a connection took to reach it, earlier attempts included. */
  readonly longestConnectMs: number;
  /** How often a connection was assigned to it, counted at once. */
  readonly chosen: number;
  /** Counted when a connection ends. */
  readonly bytesFromServer: number;
}

/** The API servers of a `show stat` that have an address, at the API's port and at extra ones, without those that exist only to be tracked. Undefined for any other text. */
export function parseServerCounters(csv: string): readonly ServerCounters[] | undefined {
  const rows = statisticsRows(csv);
  if (rows === undefined) return undefined;
  const isServed = (name: string): boolean => {
    const backend = name.slice(0, name.indexOf('/'));
    return isApiServers(backend) || extraPortOf(backend) !== undefined;
  };
  const tracked = new Set<string>();
  const found: ServerCounters[] = [];
  let hasOurs = false;
  // One row at a time: the cells of thousands of servers cost more to collect than to read.
  for (const cell of rows) {
    if (cell('type') !== SERVER) continue;
    tracked.add(cell('tracked'));
    hasOurs ||= isApiServers(cell('pxname'));
    const server = countersIn(cell);
    if (server !== undefined) found.push(server);
  }
  return found.filter(({ name }) => !tracked.has(name) && (!hasOurs || isServed(name)));
}

/** A unix socket and an unresolved name have no address. */
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
