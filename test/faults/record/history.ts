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
  /** A fault begins, ends, or could not be brought about. Between its ends these nodes (or `client`) are cut off from the rest. */
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
  /** The kernel gave the VIP to a node, or took it. */
  z.object({ kind: z.literal('address'), ...atNode, holds: z.boolean() }),
  /** A request of the client: one connection. */
  z.object({ kind: z.literal('probe'), ...probeSchema.shape }),
  /** A connection of the client that was to stay open; null if the client ended it as planned. */
  z.object({
    kind: z.literal('stream'),
    fromMs: z.number(),
    toMs: z.number(),
    reason: z.nullable(z.string()),
  }),
  /** A process that only waits was not woken in time, for this long. */
  z.object({ kind: z.literal('stall'), fromMs: z.number(), toMs: z.number() }),
  /** `waitingShare`: how long the nodes' processes waited for a processor since the last look, all together, per that time. */
  z.object({
    kind: z.literal('machine'),
    ...at,
    load: z.number(),
    waitingShare: z.optional(z.number()),
    wallOffsetMs: z.number(),
  }),
  /** A part of a node was started by what stands for the kubelet, or seen to have ended. */
  z.object({ kind: z.literal('part'), ...atNode, part: z.string(), what: z.enum(['started', 'ended']) }),
  /** What `vrrp-state.json` says, on each change; null without the file. */
  z.object({ kind: z.literal('vrrp'), ...atNode, state: z.nullable(z.string()) }),
  /** How many processes of HAProxy run on a node, on each change. */
  z.object({ kind: z.literal('haproxys'), ...atNode, count: z.number() }),
  /** The content of a file changed; null if it is gone. */
  z.object({ kind: z.literal('file'), ...atNode, file: z.string(), sha: z.nullable(z.string()) }),
  /** The faults of an episode are over, and the group came to rest or did not. */
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
    /** SHA-256 of what the newest generation serves, and of `haproxy.cfg`. */
    served: z.nullable(z.string()),
    configured: z.nullable(z.string()),
    draining: z.number(),
    processes: z.number(),
    /** Open ones of hawser's four programs, by part. */
    descriptors: z.record(z.string(), z.number()),
    files: z.array(z.string()),
  }),
  /** keepalived was reloaded, for this cause: the supervisor's log tells of it, and no journal does. */
  z.object({ kind: z.literal('reload'), ...atNode, cause: z.string() }),
  /** A line of a node's journal. */
  z.object({ kind: z.literal('journal'), ...at, line: journalLineSchema }),
  /** Something left after everything was asked to end. */
  z.object({ kind: z.literal('left'), ...at, what: z.string() }),
  /** The last line of a complete history: everything was asked to end, and leftovers were listed. */
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

/** Throws for an invalid line: a judge must not skip what it cannot read. */
export function readHistory(folder: string): readonly Entry[] {
  return readFileSync(join(folder, HISTORY_FILE), 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => entrySchema.parse(JSON.parse(line)));
}
