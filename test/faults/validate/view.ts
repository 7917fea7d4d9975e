import type { JournalLine } from '../../../src/engine/observe/journal/journal-line.ts';
import { type HoldingEvent, type Stretch, without } from '../../helpers/vrrp/holdings.ts';
import type { Probe } from '../../helpers/vrrp/probes.ts';
import { everyNode } from '../generate/catalogue.ts';
import type { Entry, EntryOf } from '../record/history.ts';
import { type Bound, boundOf } from './bounds.ts';

export interface FaultWindow extends Stretch {
  readonly id: string;
  readonly episode: number;
  readonly name: string;
  readonly variant: string;
  /** The first node, if there are several. */
  readonly node: string;
  /** The nodes that are hit. A shared fault, such as a partition, belongs to the node it names. */
  readonly nodes: readonly string[];
  readonly apart: readonly string[];
  /** When undoing started. Effects of the end may show before `toMs`, when everything is undone. */
  readonly undoMs: number;
  readonly bound: Bound;
}

/** A history, sorted and indexed for the validators. */
export interface View {
  readonly run: EntryOf<'run'>;
  readonly entries: readonly Entry[];
  readonly startMs: number;
  readonly endMs: number;
  readonly faults: readonly FaultWindow[];
  readonly holdings: readonly HoldingEvent[];
  /** Sorted by start. */
  readonly probes: readonly Probe[];
  readonly stalls: readonly Stretch[];
  /** When processes waited for a CPU nearly all the time. */
  readonly pressed: readonly Stretch[];
  readonly rests: readonly EntryOf<'rest'>[];
  /** Sorted by time. */
  readonly journal: readonly { readonly atMs: number; readonly line: JournalLine }[];
  of<Kind extends Entry['kind']>(kind: Kind): readonly EntryOf<Kind>[];
}

/** Judging starts at the first rest: until then the group is coming up. Throws for a history without a rest. */
export function viewOf(entries: readonly Entry[]): View {
  const of = <Kind extends Entry['kind']>(kind: Kind): readonly EntryOf<Kind>[] =>
    entries.filter((entry): entry is EntryOf<Kind> => entry.kind === kind);
  const [run] = of('run');
  const rests = of('rest');
  const [first] = rests;
  if (run === undefined || first === undefined)
    throw new Error('Cannot judge the history: it has no beginning, or the group never came to rest');
  return {
    run,
    entries,
    startMs: first.atMs,
    endMs: rests.at(-1)?.atMs ?? first.atMs,
    faults: windowsOf(
      of('fault'),
      run.nodes.map(({ name }) => name),
    ),
    holdings: of('address'),
    probes: of('probe').toSorted((a, b) => a.startedAtMs - b.startedAtMs),
    stalls: of('stall'),
    pressed: of('machine')
      .filter(({ waitingShare = 0 }) => waitingShare > PRESSED_SHARE)
      .map(({ atMs }) => ({ fromMs: atMs - 1_000, toMs: atMs })),
    rests,
    journal: of('journal').toSorted((a, b) => a.atMs - b.atMs),
    of,
  };
}

/** A fault that could not be injected may still have started: it counts until it was recorded as missed. */
function windowsOf(faults: readonly EntryOf<'fault'>[], all: readonly string[]): readonly FaultWindow[] {
  return faults
    .filter(({ phase }) => phase === 'start')
    .map(({ id, name, variant, node, apart = [], atMs }) => {
      const own = faults.filter((each) => each.id === id);
      const end = own.find(({ phase }) => phase === 'end' || phase === 'missed');
      const toMs = end?.atMs ?? Number.POSITIVE_INFINITY;
      const undoMs = own.find(({ phase }) => phase === 'undo')?.atMs ?? toMs;
      const nodes = variant === everyNode ? all : [node];
      const what = { id, episode: Number(id.split('.')[0]), name, variant, node, nodes, apart };
      return { ...what, fromMs: atMs, undoMs, toMs, bound: boundOf(name, variant) };
    });
}

/** The nodes on their own stay below this. */
const PRESSED_SHARE = 0.8;
const STALLED_MS = 100;
/** A starved program has missed its timers and needs this long to catch up. */
const AFTER_STALL_MS = 2_000;

/** Whether processes got no CPU time for a while during this time or shortly before. */
export function isStarved({ stalls, pressed }: View, fromMs: number, toMs: number): boolean {
  const since = fromMs - AFTER_STALL_MS;
  const isPressed = pressed.some((each) => each.fromMs < toMs && each.toMs > since);
  return isPressed || stalledMs(stalls, since, toMs) >= STALLED_MS;
}

export function stalledMs(stalls: readonly Stretch[], fromMs: number, toMs: number): number {
  return stalls.reduce(
    (sum, stall) => sum + Math.max(0, Math.min(stall.toMs, toMs) - Math.max(stall.fromMs, fromMs)),
    0,
  );
}

/** Time for keepalived's supervisor to see the address twice and to ask keepalived. */
const REMOVED_MS = 1_000;

/** While one of these lasts, keepalived's supervisor does not see an added address, or cannot run `ip` to remove it. */
const keepingAddresses: ReadonlySet<string> = new Set([
  'unplug node',
  'exhaust-descriptors keepalived-supervisor',
  'exhaust-processes node',
  'stop keepalived-supervisor',
  'stop keepalived-container',
]);

/** How long addresses added by hand may stay: until the last such fault of their node is over, and `REMOVED_MS` more. */
export function keptByFaults({ faults }: View): readonly (Stretch & Pick<FaultWindow, 'node'>)[] {
  return faults
    .filter(({ name, variant }) => `${name} ${variant}` === 'by-hand add-vip')
    .flatMap(({ node, fromMs }) => {
      let toMs = fromMs;
      for (const each of faults) {
        const keeps = each.node === node && keepingAddresses.has(`${each.name} ${each.variant}`);
        if (keeps && each.fromMs <= toMs + REMOVED_MS) toMs = Math.max(toMs, each.toMs);
      }
      return toMs === fromMs ? [] : [{ node, fromMs, toMs: toMs + REMOVED_MS }];
    });
}

/** Whether the group came to rest in the episode of this entry. */
export function isReached({ rests }: View, { episode }: EntryOf<'node'>): boolean {
  return rests.some((rest) => rest.episode === episode && rest.reached);
}

/** `stretches` minus `excused`. */
export function minus(stretches: readonly Stretch[], excused: readonly Stretch[]): readonly Stretch[] {
  const merged = merge(excused);
  return stretches.flatMap(({ fromMs, toMs }) => without(fromMs, toMs, merged));
}

function merge(stretches: readonly Stretch[]): readonly Stretch[] {
  const merged: Stretch[] = [];
  for (const each of stretches.toSorted((a, b) => a.fromMs - b.fromMs)) {
    const last = merged.at(-1);
    if (last !== undefined && each.fromMs <= last.toMs)
      merged[merged.length - 1] = { fromMs: last.fromMs, toMs: Math.max(last.toMs, each.toMs) };
    else merged.push(each);
  }
  return merged;
}

/** Faults active in this time, or that ended shortly before: the first thing a reader wants to know. */
export function faultsNear({ faults }: View, fromMs: number, toMs: number): readonly string[] {
  return faults
    .filter((each) => each.fromMs <= toMs && each.toMs >= fromMs - 10_000)
    .map(({ id, name, variant, nodes, fromMs: from, toMs: to }) => {
      const ends = to === from ? '' : ` to ${relative(to, fromMs)}`;
      return `fault ${id}: ${name} ${variant} on ${nodes.join(', ')}, ${relative(from, fromMs)}${ends}`;
    });
}

/** `-1.20 s`: before the start of a violation; `+0.30 s`: after it. */
export function relative(atMs: number, zeroMs: number): string {
  const ms = atMs - zeroMs;
  return `${ms < 0 ? '-' : '+'}${(Math.abs(ms) / 1_000).toFixed(2)} s`;
}
