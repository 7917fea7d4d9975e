import { dirname } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { createMetricsRegistry, simpleGauge } from '../../engine/observe/metrics-registry.ts';
import { pieces } from '../../engine/observe/pieces.ts';
import { sharedRun } from '../../engine/system/time/one-at-a-time.ts';
import { toWorker } from '../ask-worker.ts';
import { generationSockets } from '../generation-sockets.ts';
import { infoNumber } from '../parse-replies.ts';
import { askRuntimeApi } from '../runtime-api.ts';
import type { Column } from './columns.ts';
import { chosenColumns, type RowLabels, statisticsPage } from './statistics-page.ts';
import { readRows, type StatisticsRow } from './statistics-rows.ts';
import { createTotals, type StatisticsTotals } from './statistics-totals.ts';

interface ExporterSettings {
  readonly statsSocket: string;
  /** Columns of HAProxy's statistics, by number. */
  readonly exported: readonly number[];
  readonly serverThreshold: number;
  readonly baseIntervalMs: number;
  readonly timeoutMs: number;
  readonly labelsOf: RowLabels;
  /** The user's limit on clients, if HAProxy counts more connections than clients. Undefined: HAProxy's own limit is reported. */
  readonly maxClients?: number | undefined;
  /**
   * Resolves once nothing more urgent is pending: reading HAProxy's statistics of 10,000 backends costs more than changing one. The wait takes at
   * most `timeoutMs`. Undefined: no wait.
   */
  readonly whenFree?: () => Promise<unknown>;
}

export interface Exporter {
  /** The `haproxy_*` series in pieces. Polls HAProxy when due, otherwise uses the last answer. */
  readonly page: () => Promise<Iterable<string>>;
  /** The same values as numbers. */
  readonly samples: () => Promise<readonly Sample[]>;
  /**
   * Polls HAProxy now: just before a reload, so that no counts of the old generation are lost if it ends at once. Never rejects. Takes at most the
   * timeout, and as long again if it waits for CPU time to read the answer.
   */
  readonly scrape: () => Promise<void>;
}

export interface Sample {
  readonly row: StatisticsRow;
  readonly column: Column;
  readonly value: number;
}

/** A backend takes 400 bytes, so this is enough for 160,000 backends. A longer reply is cut off and not used. */
const MAX_STATISTICS_BYTES = 64 * 1024 * 1024;

/** TYPES of HAProxy's `show stat -1 TYPES -1`: 1 frontends, 2 backends, 4 servers. */
const WITHOUT_SERVERS = 3;
const WITH_SERVERS = 7;

/**
 * Exports HAProxy's statistics under the names of openshift-router's exporter. Counters are sums over all generations: draining ones are polled on
 * their own sockets, so that a reload neither loses counts nor counts anything twice. `serverCount` returns the number of configured servers. Above
 * the threshold, HAProxy's rows of servers are not requested.
 */
export function createExporter(
  settings: ExporterSettings,
  serverCount: () => number,
  nowMs: () => number,
): Exporter {
  const columns = chosenColumns(settings.exported);
  const totals = createTotals(columns.map(({ type }) => type === 'counter'));
  const own = ownMetrics();
  let pids: ReadonlyMap<string, string> = new Map();
  let rows: readonly StatisticsRow[] = [];
  let nextAt = Number.NEGATIVE_INFINITY;

  const scrape = sharedRun(async () => {
    own.scraped();
    const servers = serverCount();
    const types = servers > settings.serverThreshold ? WITHOUT_SERVERS : WITH_SERVERS;
    const { sockets, replies } = await askGenerations(settings, types);
    await Promise.race([settings.whenFree?.(), pause(settings.timeoutMs, undefined, { ref: false })]);
    const parsed = replies.map((reply) => ({ ...reply, rows: readRows(reply.csv, columns) }));
    for (const each of parsed) if (each.rows === undefined) own.unreadable();
    const [serving] = parsed;
    own.up(serving !== undefined);
    own.servers(servers, settings.serverThreshold);
    own.maxConnections(shownLimit(serving?.maxConnections, settings.maxClients));
    for (const each of parsed) totals.add(each.pid, each.rows ?? []);
    const answered = new Map(parsed.map(({ socket, pid }) => [socket, pid]));
    const silent = [...pids].filter(([socket]) => sockets.includes(socket));
    pids = new Map([...silent, ...answered]);
    const polled = new Set(pids.values());
    totals.keep((pid) => polled.has(pid));
    rows = serving?.rows ?? [];
    if (parsed.every((each) => each.rows !== undefined))
      totals.keepRows(parsed.flatMap((each) => each.rows ?? []));
    const intervalMs = settings.baseIntervalMs * (1 + rows.length / 1_000);
    own.interval(intervalMs / 1_000);
    nextAt = nowMs() + intervalMs;
  });
  const refresh = async (): Promise<void> => {
    if (nowMs() >= nextAt) await scrape();
  };
  return {
    scrape,
    samples: async () => {
      await refresh();
      return rows.flatMap((row) => samplesOf(row, columns, totals));
    },
    page: async () => {
      await refresh();
      return pieces(`${own.text()}\n`, statisticsPage(rows, columns, totals, settings.labelsOf));
    },
  };
}

/** Counters are sums over all generations. */
function samplesOf(
  row: StatisticsRow,
  columns: readonly Column[],
  totals: StatisticsTotals,
): readonly Sample[] {
  return columns.flatMap((column, index) => {
    const values = column.type === 'counter' ? totals.of(row) : row.values;
    const [value = Number.NaN, isThere] = [values[index], !Number.isNaN(row.values[index])];
    return isThere ? [{ row, column, value }] : [];
  });
}

/** HAProxy's own limit, if the limit on open files leaves fewer connections than requested. */
function shownLimit(ofProcess = 0, ofClients = ofProcess): number {
  return Math.min(ofProcess, ofClients);
}

interface Reply {
  readonly socket: string;
  /** Of the worker. One worker may answer at two sockets, one after the other. */
  readonly pid: string;
  readonly maxConnections: number | undefined;
  readonly csv: string;
}

interface Replies {
  readonly sockets: readonly string[];
  readonly replies: readonly Reply[];
}

/** Polls every generation. The replies are sorted newest first, so the first one is from the serving generation. */
async function askGenerations(settings: ExporterSettings, types: number): Promise<Replies> {
  const { statsSocket, timeoutMs } = settings;
  const ask = (socket: string, command: string) =>
    askRuntimeApi(socket, command, timeoutMs, MAX_STATISTICS_BYTES);
  const sockets = await generationSockets(dirname(statsSocket));
  const commands = ['show info', `show stat -1 ${types} -1`];
  const answers = await Promise.all(
    sockets.map(async (socket) => readReply(await ask(socket, toWorker(commands)), socket)),
  );
  const replies = answers.flat();
  if (replies.length > 0) return { sockets, replies };
  // An HAProxy with another supervisor has only the stats socket.
  const reply = await ask(statsSocket, commands.join(';'));
  return { sockets, replies: readReply(reply, statsSocket) };
}

function readReply(reply: string | undefined, socket: string): readonly Reply[] {
  const pid = reply === undefined ? undefined : infoNumber(reply, 'Pid');
  const start = reply?.indexOf('# pxname,') ?? -1;
  if (reply === undefined || pid === undefined || start < 0) return [];
  const maxConnections = infoNumber(reply, 'Maxconn');
  return [{ socket, pid: `${pid}`, maxConnections, csv: reply.slice(start) }];
}

function ownMetrics() {
  const registry = createMetricsRegistry();
  const number = (name: string, help: string) => simpleGauge(registry, name, help);
  const up = number('haproxy_up', '1 if HAProxy answered the last poll.');
  const scraped = registry.counter('haproxy_exporter_total_scrapes', 'Polls of HAProxy.');
  const unreadable = registry.counter(
    'haproxy_exporter_csv_parse_failures',
    `Polls whose statistics could not be parsed, or exceeded ${MAX_STATISTICS_BYTES >> 20} MiB.`,
  );
  const interval = number('haproxy_exporter_scrape_interval', 'Seconds between two polls of HAProxy.');
  const threshold = registry.gauge(
    'haproxy_exporter_server_threshold',
    'Number of servers, and the limit above which there are no metrics of single servers.',
  );
  const maxConnections = number(
    'haproxy_max_connections',
    'Maximum number of connections that HAProxy accepts.',
  );
  return {
    up,
    interval,
    scraped: () => scraped(),
    unreadable: () => unreadable(),
    maxConnections,
    servers: (current: number, limit: number) => {
      threshold.set(current, { type: 'current' });
      threshold.set(limit, { type: 'limit' });
    },
    text: registry.text,
  };
}
