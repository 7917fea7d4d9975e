import type { JournalLine } from '../../engine/observe/journal/journal-line.ts';
import type { Phrase } from '../../engine/observe/journal/phrase.ts';
import { oncePer } from '../../engine/system/once-per.ts';
import { durationText, printable } from '../../engine/system/text/readable-text.ts';
import { reloadReason } from '../../keepalived/supervise/why.ts';
import { vipKinds } from '../../keepalived/vip-kind.ts';
import { isInstanceOf } from '../group/vrrp-instances.ts';
import { vipEvents } from './vip-events.ts';

/** The longest time between a cause and the move of a VIP. A check, the track file and the adverts together take less. */
const WINDOW_MS = 5_000;
/** Two processes of one node may log related events in either order, and the clocks of two nodes may differ by this much. */
const SLACK_MS = 500;

/** The number of entries searched on either side. In a storm, a cause among more distant entries cannot be identified. */
const MOST_NEAR = 100;
const MOST = 3;

type Lines = readonly JournalLine[];

/** Events of an operator's order. */
const ORDERS: ReadonlySet<string> = new Set(['node-drained', 'node-undrained', 'move-vip-began']);

/** Events that can take a VIP from a node, or show that it must go. */
const EVIDENCE: ReadonlySet<string> = new Set([
  ...ORDERS,
  'track-value-changed',
  'haproxy-health-changed',
  'node-demoted',
  'cpu-starvation',
  'keepalived-died',
  'keepalived-hung',
  'keepalived-killed',
  'generation-died',
  'generation-hung',
  'generation-busy',
  'stopping',
  'removed-from-node-list',
  'vip-not-repaired',
]);

/** Events that show that a node can serve again. */
const RECOVERY: ReadonlySet<string> = new Set(['track-value-changed', 'haproxy-health-changed']);

/**
 * The likely causes of a VIP's move, from other journal entries. On the node that lost the VIP: the last events about that node. On the
 * node that took it: an operator's order, and the previous holder if its journal is available. The entries are only close in time,
 * which proves nothing. The nodes' clocks must agree to within half a second. Undefined if no cause is found.
 */
export function likelyCauses(lines: Lines, index: number, phraseOf: Phrase): string | undefined {
  const line = lines[index];
  if (line?.event !== 'vrrp-transition' || line.reason === reloadReason) return undefined;
  const why = line.to === 'MASTER' ? takeoverCauses : lossCauses;
  return why(lines, index, line, phraseOf).join('; ') || undefined;
}

function takeoverCauses(lines: Lines, index: number, line: JournalLine, phraseOf: Phrase): readonly string[] {
  const ordered = seenBefore(lines, index, line, ({ event }) => ORDERS.has(event)).map(phraseOf);
  const before = previousHolder(lines, index, line);
  if (before === undefined) return ordered;
  // If no node held it for a while, the new holder has recovered.
  const recovered =
    before.kind !== 'silent' && aheadMs(before.line, line) > WINDOW_MS ? recovery(lines, index, line) : [];
  return [...ordered, ...recovered.map(phraseOf), beforeText(before, line)];
}

/** How long `before` precedes `line`, in milliseconds; negative if it is later. */
function aheadMs(before: JournalLine, line: JournalLine): number {
  return timeOf(line) - timeOf(before);
}

/** The last sign that the node can serve again. */
function recovery(lines: Lines, index: number, line: JournalLine): Lines {
  return seenBefore(lines, index, line, ({ event }) => RECOVERY.has(event)).slice(-1);
}

function beforeText(before: PreviousHolder, line: JournalLine): string {
  if (before.kind === 'own') return 'no other node had taken it';
  if (before.kind === 'silent')
    return `${printable(before.node)} was the holder, and its journal does not record that it lost the VIP`;
  const { node, reason = '' } = before.line;
  return `${printable(node)} ${leavingText(aheadMs(before.line, line))}: ${printable(reason)}`;
}

function leavingText(aheadMs: number): string {
  // A holder that hears no peer keeps the VIP until the partition heals.
  if (aheadMs < -SLACK_MS) return `was still MASTER, and gave it up ${durationText(-aheadMs)} later`;
  return aheadMs > WINDOW_MS ? `left MASTER ${durationText(aheadMs)} before` : 'left MASTER';
}

function lossCauses(lines: Lines, index: number, line: JournalLine, phraseOf: Phrase): readonly string[] {
  if (line.to === 'BACKUP' && line.from !== 'MASTER')
    return line.from === 'FAULT' ? recovery(lines, index, line).map(phraseOf) : [];
  const other = line.from === 'MASTER' ? nearestTaking(lines, index, line) : undefined;
  const found = seenBefore(lines, index, line, (each) => isEvidence(each, line));
  const seen = [...found, ...notifiedAfter(lines, index, line)];
  return [...seen.map(phraseOf), ...(other === undefined ? [] : [`${printable(other.node)} became MASTER`])];
}

/**
 * Whether an event can explain that a node lost the VIP. A higher track value, such as the bonus of a new holder, never does. If
 * keepalived ended, only a value with which a node cannot serve counts.
 */
function isEvidence({ event, from, to }: JournalLine, line: JournalLine): boolean {
  if (event !== 'track-value-changed') return EVIDENCE.has(event);
  return line.to === 'STOP' ? Number(to) < 0 : !(Number(to) > Number(from));
}

/** The last few events before `index` on this node that match. */
function seenBefore(
  lines: Lines,
  index: number,
  line: JournalLine,
  matches: (each: JournalLine) => boolean,
): Lines {
  const found: JournalLine[] = [];
  for (let at = index - 1; at >= Math.max(0, index - MOST_NEAR) && found.length < MOST; at -= 1) {
    const before = lines[at];
    if (before === undefined || distanceMs(before, line) > WINDOW_MS) break;
    const isOurs = before.node === line.node && matches(before);
    if (isOurs && concerns(before, line)) found.unshift(before);
  }
  return found;
}

/** A verdict just after the transition: a monitor writes the track file, which moves the VIP, before it logs the verdict. */
function notifiedAfter(lines: Lines, index: number, line: JournalLine): Lines {
  const isVerdict = (each: JournalLine): boolean =>
    each.node === line.node && each.event === 'track-value-changed' && Number(each.to) < 0;
  const after = lines.slice(index + 1, index + 1 + MOST_NEAR);
  const soon = after.filter((each) => distanceMs(each, line) <= SLACK_MS);
  return soon.filter((each) => isVerdict(each) && concerns(each, line)).slice(0, 1);
}

/** Whether an event is about the instance's kind of VIP: health and orders of the ingress VIP never move an API VIP. */
function concerns({ event, subject }: JournalLine, { subject: instance }: JournalLine): boolean {
  if (event !== 'track-value-changed' && event !== 'haproxy-health-changed' && !ORDERS.has(event))
    return true;
  if (subject === undefined || instance === undefined) return true;
  return vipKinds.some((kind) => subject.split(', ').includes(kind) && isInstanceOf(kind, instance));
}

/** The nearest transition with which another node took the VIP that this one lost. */
function nearestTaking(lines: Lines, index: number, line: JournalLine): JournalLine | undefined {
  const isTaking = (each: JournalLine): boolean =>
    isMove(each, line.subject) && each.node !== line.node && each.to === 'MASTER';
  const near = lines.slice(Math.max(0, index - MOST_NEAR), index + MOST_NEAR + 1);
  const takings = near.filter((each) => distanceMs(each, line) <= WINDOW_MS && isTaking(each));
  return takings.toSorted((a, b) => distanceMs(a, line) - distanceMs(b, line))[0];
}

/** How the previous holder lost the VIP that a node took. */
type PreviousHolder =
  /** The holder left MASTER before or after. If that was long before, no node has held the VIP since. */
  | { readonly kind: 'left'; readonly line: JournalLine }
  /** The holder's journal has no entry about it: the node lost power, or is still MASTER and hears no peer. */
  | { readonly kind: 'silent'; readonly node: string }
  /** The node that took the VIP had lost it before. */
  | { readonly kind: 'own'; readonly line: JournalLine };

/**
 * The holder before the take-over at `index`: the node whose last transition was to MASTER, ignoring a node that became MASTER within
 * the slack (both were taking over). If a journal starts later, its next transition shows the earlier state. Otherwise the last node
 * that left. Undefined if no journal shows it.
 */
function previousHolder(lines: Lines, index: number, taking: JournalLine): PreviousHolder | undefined {
  const seen = new Set([taking.node]);
  let left: JournalLine | undefined;
  for (let at = index - 1; at >= 0; at -= 1) {
    const each = lines[at];
    if (each === undefined || !(isMove(each, taking.subject) || isHeldAtReload(each, taking))) continue;
    if (left === undefined && each.from === 'MASTER' && !isRival(lines, at, taking)) left = each;
    if (seen.has(each.node)) continue;
    seen.add(each.node);
    if (each.to === 'MASTER' && distanceMs(each, taking) > SLACK_MS) return whatBecame(lines, index, each);
  }
  const later = leftLater(lines.slice(index + 1, index + 1 + MOST_NEAR), taking, seen);
  if (later !== undefined) return { kind: 'left', line: later };
  if (left === undefined) return undefined;
  return { kind: left.node === taking.node ? 'own' : 'left', line: left };
}

/** A node that took the VIP during a reload logs MASTER with the reason of the reload. */
function isHeldAtReload(line: JournalLine, taking: JournalLine): boolean {
  const { event, subject, to, reason } = line;
  const isReport = event === 'vrrp-transition' && subject === taking.subject && reason === reloadReason;
  return isReport && to === 'MASTER' && distanceMs(line, taking) > SLACK_MS;
}

/** How the holder lost the VIP, from its next move. That may be late: an isolated holder keeps the VIP until it hears the others. */
function whatBecame(lines: Lines, index: number, holder: JournalLine): PreviousHolder {
  const { node, subject } = holder;
  const line = lines.find((each, at) => at > index && each.node === node && isMove(each, subject));
  return line?.from === 'MASTER' ? { kind: 'left', line } : { kind: 'silent', node };
}

/** The transition of a node that left soon after the take-over and has no earlier entry. */
function leftLater(next: Lines, taking: JournalLine, before: ReadonlySet<string>): JournalLine | undefined {
  const seen = new Set(before);
  for (const each of next) {
    if (distanceMs(each, taking) > WINDOW_MS) break;
    if (!isMove(each, taking.subject)) continue;
    if (each.from === 'MASTER' && !seen.has(each.node)) return each;
    seen.add(each.node);
  }
  return undefined;
}

/** Whether the node that left at `leftAt` had taken the VIP at the same moment as `taking`. */
function isRival(lines: Lines, leftAt: number, taking: JournalLine): boolean {
  const node = lines[leftAt]?.node;
  if (node === taking.node) return false;
  for (let at = leftAt - 1; at >= 0; at -= 1) {
    const each = lines[at];
    if (each === undefined || distanceMs(each, taking) > SLACK_MS) return false;
    if (isMove(each, taking.subject) && each.node === node && each.to === 'MASTER') return true;
  }
  return false;
}

/** Whether an entry is a transition of the instance that was not part of a reload. */
function isMove(line: JournalLine, subject: string | undefined): boolean {
  return line.event === 'vrrp-transition' && line.subject === subject && line.reason !== reloadReason;
}

function distanceMs(a: JournalLine, b: JournalLine): number {
  return Math.abs(aheadMs(a, b));
}

/** Cached, because in a storm each line is compared with hundreds of others, twice a second while the page is open. */
const timeOf = oncePer(({ at }: JournalLine) => Date.parse(at));

/** The events that the VIP's journals keep, and their likely causes. */
export const vipJournal = { events: vipEvents, causes: likelyCauses };
