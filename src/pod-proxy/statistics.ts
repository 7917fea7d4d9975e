import { createLineSender, type LineTarget } from '../engine/observe/line-sender.ts';
import { monotonicMs } from '../engine/system/time/monotonic-clock.ts';
import { sleep } from '../engine/system/time/sleep.ts';
import { usualColumns } from '../haproxy/exporter/columns.ts';
import { createExporter, type Exporter, type Sample } from '../haproxy/exporter/exporter.ts';
import type { RowLabels } from '../haproxy/exporter/statistics-page.ts';
import { describeConfiguration } from '../haproxy/runtime/describe-configuration.ts';
import type { Downstream } from './hosts.ts';
import { type Annotations, databaseOf } from './pod/pod.ts';
import type { ProxyObservers } from './proxy-metrics.ts';
import type { ProxySettings } from './proxy-settings.ts';

/** With more servers than this, only backends are shown. */
const SERVER_THRESHOLD = 500;
const INTERVAL_MS = 5_000;
const TIMEOUT_MS = 5_000;
/** Enough for a few minutes with a hundred servers. */
const MAX_LINES = 50_000;

export interface Statistics extends Exporter {
  /** Sets the running configuration, which maps servers to pods. */
  readonly served: (text: string, downstreams: readonly Downstream[]) => void;
  /** Sends the statistics to the database every `pushInterval` until `signal` aborts. */
  readonly push: (database: () => Database, observers: ProxyObservers, signal: AbortSignal) => Promise<void>;
}

/** HAProxy's statistics with Telegraf's names, plus the group and pod of each server. */
export function createStatistics({ statsSocket, pushInterval, pod }: ProxySettings): Statistics {
  let pods: ReadonlyMap<string, Downstream | undefined> = new Map();
  const labelsOf: RowLabels = ({ type, key }) => {
    const [proxy = '', sv = ''] = key.split(' ');
    if (type !== 'server') return { proxy };
    const downstream = pods.get(`${proxy}/${sv}`);
    return { proxy, sv, group: downstream?.group ?? '', pod: downstream?.name ?? '' };
  };
  const exporter = createExporter(
    {
      statsSocket,
      labelsOf,
      exported: usualColumns,
      serverThreshold: SERVER_THRESHOLD,
      baseIntervalMs: INTERVAL_MS,
      timeoutMs: TIMEOUT_MS,
    },
    () => pods.size,
    monotonicMs,
  );
  return {
    ...exporter,
    served: (text, downstreams) => {
      const byAddress = byAddressOf(downstreams);
      const servers = describeConfiguration(text)?.servers ?? new Map();
      pods = new Map([...servers].map(([name, { address }]) => [name, byAddress.get(address)]));
    },
    push: async (database, { metrics, log, once }, signal) => {
      const note = (message: string | undefined): void => {
        if (message === undefined) {
          if (once.clear('push')) log({ event: 'statistics-sent' });
        } else if (once.isNew('push', message)) log({ event: 'statistics-not-sent', level: 'warn', message });
      };
      const target = () => {
        const found = database();
        if (found.kind === 'wrong') note(found.message);
        return found.kind === 'at' ? found.target : undefined;
      };
      const sender = createLineSender({
        target,
        maxLines: MAX_LINES,
        onTrouble: note,
        onSent: metrics.linesSent,
        onDropped: metrics.linesDropped,
      });
      const sending = sender.run(signal);
      while (!signal.aborted) {
        await sleep(pushInterval, signal);
        if (signal.aborted || target() === undefined) continue;
        const seconds = Math.floor(Date.now() / 1_000);
        sender.send(linesOf(await exporter.samples(), ({ row }) => labelsOf(row), { host: pod, seconds }));
      }
      await sending;
    },
  };
}

/** An address in several groups has no group: a server of one of them must not be counted in another. */
export function byAddressOf(downstreams: readonly Downstream[]): ReadonlyMap<string, Downstream> {
  const found = new Map<string, Downstream>();
  for (const each of downstreams) {
    const { group = each.group } = found.get(each.address) ?? {};
    found.set(each.address, group === each.group ? each : { ...each, group: '' });
  }
  return found;
}

const DEFAULT_PORT = 4_242;

export type Database =
  | { readonly kind: 'none' }
  | { readonly kind: 'at'; readonly target: LineTarget }
  | { readonly kind: 'wrong'; readonly message: string };

/** The database in the annotation: a name or an address, with or without a port. */
export function databaseIn(annotations: Annotations): Database {
  const found = databaseOf(annotations);
  if (found === undefined) return { kind: 'none' };
  const [, six, name, port = `${DEFAULT_PORT}`] =
    /^(?:\[([0-9a-fA-F:.]+)\]|([\w.-]+))(?::(\d{1,5}))?$/.exec(found) ?? [];
  const host = six ?? name;
  if (host !== undefined && Number(port) >= 1 && Number(port) <= 65_535)
    return { kind: 'at', target: { host, port: Number(port) } };
  return {
    kind: 'wrong',
    message: `Cannot read annotation opentsdb "${found}": invalid address, expected HOST or HOST:PORT`,
  };
}

/** HAProxy's statistics in OpenTSDB's format, with Telegraf's names and tags. */
export function linesOf(
  samples: readonly Sample[],
  labelsOf: (sample: Sample) => Readonly<Record<string, string>>,
  { host, seconds }: { readonly host: string; readonly seconds: number },
): readonly string[] {
  return samples.map((sample) => {
    const { row, column, value } = sample;
    const name = column.code === undefined ? column.column : `http_response.${column.code}`;
    const sv = row.type === 'server' ? {} : { sv: row.type.toUpperCase() };
    const tags = Object.entries({ host, ...labelsOf(sample), ...sv, type: row.type });
    const words = tags.flatMap(([tag, text]) => (text === '' ? [] : [`${tag}=${wordOf(text)}`]));
    return `put haproxy_${name} ${seconds} ${value} ${words.join(' ')}`;
  });
}

/** Replaces the characters that OpenTSDB rejects. */
function wordOf(text: string): string {
  return text.replaceAll(/[^\w./-]/g, '_');
}
