import type { LineTarget } from '../engine/observe/line-sender.ts';
import type { Sample } from '../haproxy/exporter/exporter.ts';
import { type Annotations, databaseOf } from './pod/names.ts';

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
    message: `Cannot read annotation opentsdb "${found}": no address, expected HOST or HOST:PORT`,
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

/** OpenTSDB rejects all other characters. */
function wordOf(text: string): string {
  return text.replaceAll(/[^\w./-]/g, '_');
}
