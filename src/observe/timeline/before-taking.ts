import { reloadReason } from '../../model/transition-cause.ts';
import type { JournalLine } from '../journal/journal-line.ts';

/** How long before a VIP moved its cause may have been told: a check, the track file and the adverts take less. */
export const WINDOW_MS = 5_000;
/** Two processes of one node write down one thing in either order, and the clocks of two nodes differ by as much. */
export const SLACK_MS = 500;

/** Entries on either side: what is further off in a storm of them is no cause that anybody could tell. */
export const MOST_NEAR = 100;

/** What became of who had a VIP before a node took it. */
export type BeforeTaking =
  /** It left it, before or after. */
  | { readonly kind: 'left'; readonly line: JournalLine }
  /** Its journal has nothing of it: it lost its power, or is still MASTER and hears nobody. */
  | { readonly kind: 'silent'; readonly node: string }
  /** The same node had lost it. */
  | { readonly kind: 'own' };

/**
 * About the taking at `index`. Whoever is MASTER by its journal had the VIP, unless it took it within the slack: that is a
 * rival, which gives way. Of a node whose journal begins later, its next move tells what it was. Else it is the last one
 * that left it, within the window. Undefined where no journal tells.
 */
export function beforeTaking(lines: readonly JournalLine[], index: number): BeforeTaking | undefined {
  const taking = lines[index];
  if (taking === undefined) return undefined;
  const seen = new Set([taking.node]);
  let left: JournalLine | undefined;
  for (let at = index - 1; at >= 0; at -= 1) {
    const each = lines[at];
    if (each === undefined || !isMove(each, taking.subject)) continue;
    const isLeaving = each.from === 'MASTER' && distanceMs(each, taking) <= WINDOW_MS;
    if (left === undefined && isLeaving && !isRival(lines, at, taking)) left = each;
    if (seen.has(each.node)) continue;
    seen.add(each.node);
    if (each.to === 'MASTER' && distanceMs(each, taking) > SLACK_MS)
      return whatBecame(lines, index, each.node);
  }
  const later = leftLater(lines, index, seen);
  if (later !== undefined) return { kind: 'left', line: later };
  if (left === undefined) return undefined;
  return left.node === taking.node ? { kind: 'own' } : { kind: 'left', line: left };
}

/** Its next move tells, however late: a holder that is cut off from the others holds on until it hears them again. */
function whatBecame(lines: readonly JournalLine[], index: number, node: string): BeforeTaking {
  const subject = lines[index]?.subject;
  const next = lines.findIndex((each, at) => at > index && each.node === node && isMove(each, subject));
  const line = lines[next];
  return line?.from === 'MASTER' ? { kind: 'left', line } : { kind: 'silent', node };
}

/** The leaving of a node of which nothing was seen before the taking, and nothing but this soon after it. */
function leftLater(
  lines: readonly JournalLine[],
  index: number,
  before: ReadonlySet<string>,
): JournalLine | undefined {
  const taking = lines[index];
  const seen = new Set(before);
  for (const each of lines.slice(index + 1, index + 1 + MOST_NEAR)) {
    if (taking === undefined || distanceMs(each, taking) > WINDOW_MS) break;
    if (!isMove(each, taking.subject)) continue;
    if (each.from === 'MASTER' && !seen.has(each.node)) return each;
    seen.add(each.node);
  }
  return undefined;
}

/** Whoever left at `leftAt` had taken the VIP at the same moment as `taking`. */
function isRival(lines: readonly JournalLine[], leftAt: number, taking: JournalLine): boolean {
  const node = lines[leftAt]?.node;
  if (node === taking.node) return false;
  for (let at = leftAt - 1; at >= 0; at -= 1) {
    const each = lines[at];
    if (each === undefined || distanceMs(each, taking) > SLACK_MS) return false;
    if (isMove(each, taking.subject) && each.node === node && each.to === 'MASTER') return true;
  }
  return false;
}

/** An instance went from one state to another, and not only through a reload. */
export function isMove(line: JournalLine, subject: string | undefined): boolean {
  return line.event === 'vrrp-transition' && line.subject === subject && line.reason !== reloadReason;
}

export function distanceMs(a: JournalLine, b: JournalLine): number {
  return Math.abs(timeOf(a) - timeOf(b));
}

/** In a storm each line is compared with hundreds of others, twice a second while somebody watches the page. */
const times = new WeakMap<JournalLine, number>();

function timeOf(line: JournalLine): number {
  const known = times.get(line);
  if (known !== undefined) return known;
  const parsed = Date.parse(line.at);
  times.set(line, parsed);
  return parsed;
}
