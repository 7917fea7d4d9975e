import type { NodeStatus } from '../../status/node-status.ts';
import type { JournalWords } from '../../timeline/journal-words.ts';
import type { TimelineEntry } from '../../timeline/report.ts';
import { clockText, placeOf, type TimeSpan } from './time-span.ts';

/** What happened to one kind of program, on any node. */
export interface MarkLane {
  /** `keepalived`, `router`. */
  readonly name: string;
  readonly marks: readonly Mark[];
}

export type MarkKind = 'trouble' | 'repair' | 'health' | 'change' | 'life';

export interface Mark {
  readonly kind: MarkKind;
  /** Percent of the span. */
  readonly x: number;
  /** `03:12:04 cp-1: now serving generation 7`. */
  readonly words: string;
}

/** Half a percent of the hour: marks of one kind that are closer would lie on each other. */
const SLOTS = 200;

/** A lane for each kind of program: those that run here, whether or not anything happened to them, then those that others tell of. */
export function markLanes(
  here: Pick<NodeStatus, 'programs'>,
  entries: readonly TimelineEntry[],
  span: TimeSpan,
  words: JournalWords,
): readonly MarkLane[] {
  // The moves of a VIP have lanes of their own.
  const others = entries.filter(({ event }) => event !== 'vrrp-transition');
  const told = Map.groupBy(others, ({ program }) => laneOf(program));
  const names = new Set([...here.programs.map(({ name }) => laneOf(name)), ...told.keys()]);
  return [...names].map((name) => ({ name, marks: marksOf(told.get(name) ?? [], span, words) }));
}

/** A monitor and its supervisor share a lane, whatever their instance: `haproxy` of `haproxy-monitor-b`. */
function laneOf(program: string): string {
  return program.replace(/-(?:monitor|supervisor)(?:-.*)?$/, '');
}

const KINDS: Readonly<Record<TimelineEntry['kind'], MarkKind>> = {
  vip: 'change',
  'split-brain': 'trouble',
  rejected: 'trouble',
  repair: 'repair',
  health: 'health',
  reload: 'change',
  servers: 'change',
  group: 'change',
  process: 'life',
  steering: 'change',
  journal: 'life',
};

/** What kind of news an entry is. */
export function markKindOf({ kind, event }: TimelineEntry, { isTrouble }: JournalWords): MarkKind {
  return isTrouble(event) ? 'trouble' : KINDS[kind];
}

function marksOf(entries: readonly TimelineEntry[], span: TimeSpan, words: JournalWords): readonly Mark[] {
  const slots = Map.groupBy(
    entries,
    (entry) => `${Math.round((placeOf(entry.at, span) * SLOTS) / 100)} ${markKindOf(entry, words)}`,
  );
  const marks = [...slots.values()].flatMap(([first, ...more]) => {
    if (first === undefined) return [];
    const also = more.length === 0 ? '' : `; and ${more.length} more close by`;
    const text = `${clockText(first.at)} ${first.node}: ${words.phraseOf(first)}${also}`;
    return [{ kind: markKindOf(first, words), x: placeOf(first.at, span), words: text }];
  });
  // Trouble is drawn last, over everything else.
  return marks.toSorted((a, b) => Number(a.kind === 'trouble') - Number(b.kind === 'trouble'));
}
