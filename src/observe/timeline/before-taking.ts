import { reloadReason } from '../../model/transition-cause.ts';
import type { JournalLine } from '../journal/journal-line.ts';

/** What became of who had a VIP before a node took it. */
export type BeforeTaking =
  /** It left it, before or after. */
  | { readonly kind: 'left'; readonly line: JournalLine }
  /** Its journal has nothing of it: it lost its power, or runs on and hears nobody. */
  | { readonly kind: 'silent'; readonly node: string }
  /** The same node had lost it. */
  | { readonly kind: 'own' };

/**
 * About the taking at `index`. Whoever is MASTER by its journal had the VIP, unless it took it within `slackMs` of this: that
 * is a rival, which gives way. Else it is the last one that left it, within `windowMs`. Undefined where no journal tells.
 */
export function beforeTaking(
  lines: readonly JournalLine[],
  index: number,
  windowMs: number,
  slackMs: number,
): BeforeTaking | undefined {
  const taking = lines[index];
  if (taking === undefined) return undefined;
  const known = new Set([taking.node]);
  let left: JournalLine | undefined;
  for (let at = index - 1; at >= 0; at -= 1) {
    const each = lines[at];
    if (each === undefined || !isMove(each, taking.subject)) continue;
    const isNear = distanceMs(each, taking) <= windowMs;
    const isOwn = each.node === taking.node;
    if (each.from === 'MASTER' && isNear && !isRival(lines, at, each, taking, slackMs)) left ??= each;
    if (isOwn || known.has(each.node)) continue;
    known.add(each.node);
    if (each.to === 'MASTER' && distanceMs(each, taking) > slackMs)
      return whatBecame(lines, index, each.node, windowMs);
  }
  if (left === undefined) return undefined;
  return left.node === taking.node ? { kind: 'own' } : { kind: 'left', line: left };
}

function whatBecame(
  lines: readonly JournalLine[],
  index: number,
  node: string,
  windowMs: number,
): BeforeTaking {
  const taking = lines[index];
  for (const each of lines.slice(index + 1)) {
    if (taking === undefined || distanceMs(each, taking) > windowMs) break;
    if (isMove(each, taking.subject) && each.node === node && each.from === 'MASTER')
      return { kind: 'left', line: each };
  }
  return { kind: 'silent', node };
}

/** It had taken the VIP at the same moment as `taking`. */
function isRival(
  lines: readonly JournalLine[],
  at: number,
  leaving: JournalLine,
  taking: JournalLine,
  slackMs: number,
): boolean {
  const took = lines
    .slice(0, at)
    .findLast((each) => isMove(each, leaving.subject) && each.node === leaving.node && each.to === 'MASTER');
  return took !== undefined && leaving.node !== taking.node && distanceMs(took, taking) <= slackMs;
}

/** An instance went from one state to another, and not only through a reload. */
export function isMove(line: JournalLine, subject: string | undefined): boolean {
  return line.event === 'vrrp-transition' && line.subject === subject && line.reason !== reloadReason;
}

export function distanceMs(a: JournalLine, b: JournalLine): number {
  return Math.abs(Date.parse(a.at) - Date.parse(b.at));
}
