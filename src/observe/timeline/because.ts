import { printable } from '../../model/readable-text.ts';
import type { JournalLine } from '../journal/journal-line.ts';
import { phraseOf } from './phrase.ts';

/** How long before a VIP moved its cause may have been told: a check, the track file and the adverts take less. */
const WINDOW_MS = 5_000;
const MOST = 3;
/** Entries on either side: what is further off in a storm of them is no cause that anybody could tell. */
const MOST_NEAR = 100;

/** Somebody has asked for it. */
const ORDERS: ReadonlySet<string> = new Set([
  'node-drained',
  'node-undrained',
  'move-vip-began',
  'drill-began',
  'drill-step',
]);

/** What can take a VIP from a node, or tell that it must go. */
const EVIDENCE: ReadonlySet<string> = new Set([
  ...ORDERS,
  'health-told',
  'liveness',
  'monitor-silent',
  'cpu-starvation',
  'keepalived-died',
  'keepalived-hung',
  'keepalived-killed',
  'generation-died',
  'stopping',
  'left-the-group',
  'split-brain-left',
  'vip-not-repaired',
  'profile-changed',
]);

/**
 * What else the journals know about why a VIP moved: on the node that it left, the last findings about that node; on the
 * node that took it, whose order that was, and who gave it up, where that node's journal is there. It is what was seen close by in time, and not a
 * proof. Nodes' clocks must agree to within seconds. Undefined where nothing was seen.
 */
export function becauseOf(lines: readonly JournalLine[], index: number): string | undefined {
  const line = lines[index];
  if (line?.event !== 'vrrp-transition') return undefined;
  const other = otherSide(lines, index, line);
  const seen = evidence(lines, index, line);
  if (line.to === 'MASTER') {
    const ordered = seen.filter(({ event }) => ORDERS.has(event)).map(phraseOf);
    const given = other ? [`${printable(other.node)} left MASTER: ${printable(other.reason ?? '')}`] : [];
    return [...ordered, ...given].join('; ') || undefined;
  }
  const found = seen.map(phraseOf);
  const taken = line.from === 'MASTER' && other ? [`${printable(other.node)} became MASTER`] : [];
  return [...found, ...taken].join('; ') || undefined;
}

function evidence(lines: readonly JournalLine[], index: number, line: JournalLine): readonly JournalLine[] {
  const found: JournalLine[] = [];
  for (let at = index - 1; at >= Math.max(0, index - MOST_NEAR) && found.length < MOST; at -= 1) {
    const before = lines[at];
    if (before === undefined || distanceMs(before, line) > WINDOW_MS) break;
    const isOurs = before.node === line.node && EVIDENCE.has(before.event);
    if (isOurs && concerns(before, line)) found.unshift(before);
  }
  return found;
}

/** The health of the ingress VIP moves no API VIP, nor does an order about it; an instance's name ends in its kind. */
function concerns({ event, subject }: JournalLine, { subject: instance }: JournalLine): boolean {
  if (event !== 'health-told' && event !== 'liveness' && !ORDERS.has(event)) return true;
  if (subject === undefined || instance === undefined) return true;
  return subject.split(', ').some((kind) => instance.toLowerCase().includes(kind));
}

/** The nearest move of the same instance on another node in the other direction. */
function otherSide(lines: readonly JournalLine[], index: number, line: JournalLine): JournalLine | undefined {
  const isOther = (each: JournalLine): boolean =>
    each.event === 'vrrp-transition' &&
    each.node !== line.node &&
    each.subject === line.subject &&
    (line.to === 'MASTER' ? each.from === 'MASTER' : each.to === 'MASTER');
  const near = around(lines, index, line).filter(isOther);
  return near.toSorted((a, b) => distanceMs(a, line) - distanceMs(b, line))[0];
}

function around(lines: readonly JournalLine[], index: number, line: JournalLine): readonly JournalLine[] {
  const near = lines.slice(Math.max(0, index - MOST_NEAR), index + MOST_NEAR + 1);
  return near.filter((each) => distanceMs(each, line) <= WINDOW_MS);
}

function distanceMs(a: JournalLine, b: JournalLine): number {
  return Math.abs(Date.parse(a.at) - Date.parse(b.at));
}
