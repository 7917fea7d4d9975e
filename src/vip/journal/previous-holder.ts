import type { JournalLine } from '../../engine/observe/journal/journal-line.ts';
import { reloadReason } from '../../keepalived/transition-cause.ts';

/** The longest time between a cause and the move of a VIP: a check, the track file and the adverts take less. */
export const WINDOW_MS = 5_000;
/** Two processes of one node write down one thing in either order, and the clocks of two nodes differ by as much. */
export const SLACK_MS = 500;

/** Entries on either side: in a storm, entries further away cannot be identified as a cause. */
export const MOST_NEAR = 100;

/** What became of the previous holder before a node took the VIP. */
export type PreviousHolder =
  /** It left it, before or after. Long before, no node has held it since. */
  | { readonly kind: 'left'; readonly line: JournalLine }
  /** Its journal has no entry about it: it lost its power, or is still MASTER and hears no peer. */
  | { readonly kind: 'silent'; readonly node: string }
  /** The same node had lost it. */
  | { readonly kind: 'own'; readonly line: JournalLine };

/**
 * The previous holder before the taking at `index`: the node whose journal last says MASTER, ignoring one that became
 * MASTER within the slack (both were taking over). If a journal starts later, its next transition shows the earlier
 * state. Otherwise it is the last node that left. Undefined if no journal shows it.
 */
export function previousHolder(lines: readonly JournalLine[], index: number): PreviousHolder | undefined {
  const taking = lines[index];
  if (taking === undefined) return undefined;
  const seen = new Set([taking.node]);
  let left: JournalLine | undefined;
  for (let at = index - 1; at >= 0; at -= 1) {
    const each = lines[at];
    if (each === undefined || !(isMove(each, taking.subject) || isHeldAtReload(each, taking))) continue;
    if (left === undefined && each.from === 'MASTER' && !isRival(lines, at, taking)) left = each;
    if (seen.has(each.node)) continue;
    seen.add(each.node);
    if (each.to === 'MASTER' && distanceMs(each, taking) > SLACK_MS)
      return whatBecame(lines, index, each.node);
  }
  const later = leftLater(lines, index, seen);
  if (later !== undefined) return { kind: 'left', line: later };
  if (left === undefined) return undefined;
  return { kind: left.node === taking.node ? 'own' : 'left', line: left };
}

/** A node that took the VIP while it was reloaded tells of it as of its state. */
function isHeldAtReload(line: JournalLine, taking: JournalLine): boolean {
  const { event, subject, to, reason } = line;
  const isReport = event === 'vrrp-transition' && subject === taking.subject && reason === reloadReason;
  return isReport && to === 'MASTER' && distanceMs(line, taking) > SLACK_MS;
}

/** The node's next move shows it, however late: an isolated holder keeps the VIP until it hears the others again. */
function whatBecame(lines: readonly JournalLine[], index: number, node: string): PreviousHolder {
  const subject = lines[index]?.subject;
  const next = lines.findIndex((each, at) => at > index && each.node === node && isMove(each, subject));
  const line = lines[next];
  return line?.from === 'MASTER' ? { kind: 'left', line } : { kind: 'silent', node };
}

/** A node that left soon after the take-over and has no earlier entry. */
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

/** The node that left at `leftAt` had taken the VIP at the same moment as `taking`. */
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

/** In a storm each line is compared with hundreds of others, twice a second while the page is open. */
const times = new WeakMap<JournalLine, number>();

function timeOf(line: JournalLine): number {
  const known = times.get(line);
  if (known !== undefined) return known;
  const parsed = Date.parse(line.at);
  times.set(line, parsed);
  return parsed;
}
