import { parseHostPort } from '../engine/system/network/address-text.ts';
import type { TcpAddress } from '../engine/system/network/probe-tcp.ts';
import { apiServersOf, countIn, parseStatistics, SERVER } from './runtime/parse-statistics.ts';

/** What HAProxy has counted of a server that clients may get, since its process began. */
export interface ServerCounters {
  /** `masters/cp-1`. */
  readonly name: string;
  /** The server whose checks decide: itself, or the one that it tracks. */
  readonly checkedAs: string;
  readonly address: TcpAddress;
  /** Takes new connections. */
  readonly isUp: boolean;
  /** Attempts to connect after which another one followed, or none did any more. */
  readonly failedAttempts: number;
  readonly redispatched: number;
  /** The longest that a connection took to reach it, earlier attempts included. */
  readonly longestConnectMs: number;
  /** How often a connection was given to it, counted at once. */
  readonly chosen: number;
  /** Counted when a connection ends. */
  readonly bytesFromServer: number;
}

/**
 * The API servers of a `show stat` that have an address, without those that are there only to be tracked. Undefined where the
 * text is something else.
 */
export function parseServerCounters(csv: string): readonly ServerCounters[] | undefined {
  const servers = parseStatistics(csv)?.filter((cell) => cell('type') === SERVER);
  if (servers === undefined) return undefined;
  const tracked = new Set(servers.map((cell) => cell('tracked')));
  return apiServersOf(servers).flatMap((cell) => {
    const name = `${cell('pxname')}/${cell('svname')}`;
    // A unix socket and a name that is not resolved have none.
    const address = parseHostPort(cell('addr'));
    if (tracked.has(name) || address === undefined) return [];
    const count = (column: string): number => countIn(cell, column);
    return [
      {
        ...{ name, checkedAs: cell('tracked') || name, address, isUp: cell('status').startsWith('UP') },
        ...{
          failedAttempts: count('econ') + count('wretr') + count('wredis'),
          redispatched: count('wredis'),
        },
        ...{
          longestConnectMs: count('ctime_max'),
          chosen: count('lbtot'),
          bytesFromServer: count('bout'),
        },
      },
    ];
  });
}
