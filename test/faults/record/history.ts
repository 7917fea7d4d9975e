import { closeSync, openSync, readFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod/mini';
import { journalLineSchema } from '../../../src/engine/observe/journal/journal-line.ts';
import { probeSchema } from '../../helpers/vrrp/probes.ts';
import { faultNames } from '../generate/catalogue.ts';

const at = { atMs: z.number() };
const atNode = { ...at, node: z.string() };

/** One line of a history. All times are milliseconds of the machine's monotonic clock. */
export const entrySchema = z.discriminatedUnion('kind', [
  /** The first line. */
  z.object({
    kind: z.literal('run'),
    ...at,
    seed: z.number(),
    vip: z.string(),
    nodes: z.array(z.object({ name: z.string(), address: z.string() })),
    versions: z.record(z.string(), z.string()),
  }),
  z.object({ kind: z.literal('episode'), ...at, number: z.number(), plan: z.string() }),
  /** A fault starts, ends, or could not be injected. While it lasts, `apart` (nodes or `client`) is cut off from the rest. */
  z.object({
    kind: z.literal('fault'),
    ...at,
    phase: z.enum(['start', 'undo', 'end', 'missed']),
    id: z.string(),
    name: z.enum(faultNames),
    variant: z.string(),
    node: z.string(),
    apart: z.optional(z.array(z.string())),
    problem: z.optional(z.string()),
  }),
  /** The VIP was added to or removed from a node's interface, as the kernel reports it. */
  z.object({ kind: z.literal('address'), ...atNode, holds: z.boolean() }),
  /** One client request, on a connection of its own. */
  z.object({ kind: z.literal('probe'), ...probeSchema.shape }),
  /** A long-lived client connection; `reason` is null if the client closed it as planned. */
  z.object({
    kind: z.literal('stream'),
    fromMs: z.number(),
    toMs: z.number(),
    reason: z.nullable(z.string()),
  }),
  /** A process that only sleeps was woken late by this much. */
  z.object({ kind: z.literal('stall'), fromMs: z.number(), toMs: z.number() }),
  /** `waitingShare`: total time the nodes' processes waited for a CPU since the last sample, divided by the sampling interval. */
  z.object({
    kind: z.literal('machine'),
    ...at,
    load: z.number(),
    waitingShare: z.optional(z.number()),
    wallOffsetMs: z.number(),
  }),
  /** A part of a node was started by the simulated kubelet, or was found to have exited. */
  z.object({ kind: z.literal('part'), ...atNode, part: z.string(), what: z.enum(['started', 'ended']) }),
  /** The state in `vrrp-state.json`, on each change; null if the file is missing. */
  z.object({ kind: z.literal('vrrp'), ...atNode, state: z.nullable(z.string()) }),
  /** The number of HAProxy processes on a node, on each change. */
  z.object({ kind: z.literal('haproxys'), ...atNode, count: z.number() }),
  /** A file's content changed; null if the file is gone. */
  z.object({ kind: z.literal('file'), ...atNode, file: z.string(), sha: z.nullable(z.string()) }),
  /** The faults of an episode are over. `reached`: whether the group came to rest. */
  z.object({
    kind: z.literal('rest'),
    ...at,
    episode: z.number(),
    reached: z.boolean(),
    missing: z.string(),
  }),
  /** A node at rest. */
  z.object({
    kind: z.literal('node'),
    ...atNode,
    episode: z.number(),
    /** SHA-256 of the configuration the newest generation serves, and of `haproxy.cfg`. */
    served: z.nullable(z.string()),
    configured: z.nullable(z.string()),
    draining: z.number(),
    processes: z.number(),
    /** Open descriptors of hawser's four programs, by part. */
    descriptors: z.record(z.string(), z.number()),
    files: z.array(z.string()),
  }),
  /** keepalived was reloaded. Only the supervisor's log records this; no journal does. */
  z.object({ kind: z.literal('reload'), ...atNode, cause: z.string() }),
  /** A journal line of a node. */
  z.object({ kind: z.literal('journal'), ...at, line: journalLineSchema }),
  /** Something was left behind after everything was terminated. */
  z.object({ kind: z.literal('left'), ...at, what: z.string() }),
  /** The last line of a complete history: everything was terminated and leftovers were listed. */
  z.object({ kind: z.literal('over'), ...at }),
]);

export type Entry = z.infer<typeof entrySchema>;
export type EntryOf<Kind extends Entry['kind']> = Extract<Entry, { kind: Kind }>;

export const HISTORY_FILE = 'history.jsonl';

export interface HistoryWriter extends Disposable {
  readonly write: (entry: Entry) => void;
}

export function openHistory(folder: string): HistoryWriter {
  const file = openSync(join(folder, HISTORY_FILE), 'a');
  return {
    write: (entry) => void writeSync(file, `${JSON.stringify(entry)}\n`),
    [Symbol.dispose]: () => closeSync(file),
  };
}

/** Throws on an invalid line: a judge must not skip entries it cannot read. */
export function readHistory(folder: string): readonly Entry[] {
  return readFileSync(join(folder, HISTORY_FILE), 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => entrySchema.parse(JSON.parse(line)));
}
