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
    const address = addressOf(cell('addr'));
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

/** `10.0.0.11:6443`, `[fd00::11]:6443`; a unix socket and a name that is not resolved have none. */
function addressOf(text: string): TcpAddress | undefined {
  const [, six, four, port] = /^(?:\[([0-9a-f:.]+)\]|([0-9.]+)):(\d+)$/.exec(text) ?? [];
  const host = six ?? four;
  return host === undefined ? undefined : { host, port: Number(port) };
}
