import { phraseOf } from '../../timeline/phrase.ts';
import type { TimelineEntry } from '../../timeline/report.ts';
import { clockText, placeOf, type TimeSpan } from './time-span.ts';

/** What happened to one of the two programs that hawser keeps, on any node. */
export interface MarkLane {
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

/** Both lanes, whether or not there is anything in them. */
export function markLanes(entries: readonly TimelineEntry[], span: TimeSpan): readonly MarkLane[] {
  // The moves of a VIP have lanes of their own.
  const others = entries.filter(({ event }) => event !== 'vrrp-transition');
  const isHaproxy = ({ program }: TimelineEntry): boolean => program.startsWith('haproxy');
  return [
    {
      name: 'keepalived',
      marks: marksOf(
        others.filter((each) => !isHaproxy(each)),
        span,
      ),
    },
    { name: 'HAProxy', marks: marksOf(others.filter(isHaproxy), span) },
  ];
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
  drill: 'change',
  journal: 'life',
};

const TROUBLE: ReadonlySet<string> = new Set([
  'generation-died',
  'generation-hung',
  'keepalived-died',
  'keepalived-hung',
  'keepalived-killed',
  'monitor-silent',
  'node-demoted',
  'vip-not-repaired',
  'virtual-router-id-taken',
  'vip-with-another-router-id',
  'cpu-starvation',
  'journal-gap',
]);

/** What kind of news an entry is. */
export function markKindOf({ kind, event }: Pick<TimelineEntry, 'kind' | 'event'>): MarkKind {
  return TROUBLE.has(event) ? 'trouble' : KINDS[kind];
}

function marksOf(entries: readonly TimelineEntry[], span: TimeSpan): readonly Mark[] {
  const slots = new Map<string, TimelineEntry[]>();
  for (const entry of entries) {
    const key = `${Math.round((placeOf(entry.at, span) * SLOTS) / 100)} ${markKindOf(entry)}`;
    const slot = slots.get(key);
    if (slot === undefined) slots.set(key, [entry]);
    else slot.push(entry);
  }
  // What is trouble is drawn last, over what else is there.
  const inOrder = [...slots.values()].toSorted((a, b) => troubles(a) - troubles(b));
  return inOrder.flatMap(([first, ...more]) =>
    first === undefined
      ? []
      : [{ kind: markKindOf(first), x: placeOf(first.at, span), words: wordsOf(first, more.length) }],
  );
}

function wordsOf(entry: TimelineEntry, more: number): string {
  const text = `${clockText(entry.at)} ${entry.node}: ${phraseOf(entry)}`;
  return more === 0 ? text : `${text}; and ${more} more close by`;
}

function troubles([first]: readonly TimelineEntry[]): number {
  return first !== undefined && markKindOf(first) === 'trouble' ? 1 : 0;
}
