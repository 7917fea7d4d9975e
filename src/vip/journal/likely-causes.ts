import type { JournalLine } from '../../engine/observe/journal/journal-line.ts';
import type { Phrase } from '../../engine/observe/journal/phrase.ts';
import { oncePer } from '../../engine/system/once-per.ts';
import { durationText, printable } from '../../engine/system/text/readable-text.ts';
import { reloadReason } from '../../keepalived/supervise/why.ts';
import { vipKinds } from '../../keepalived/vip-kind.ts';
import { isInstanceOf } from '../group/vrrp-instances.ts';
import { vipEvents } from './vip-events.ts';

/** The longest time between a cause and the move of a VIP: a check, the track file and the adverts take less. */
const WINDOW_MS = 5_000;
/** Two processes of one node write down one thing in either order, and the clocks of two nodes differ by as much. */
const SLACK_MS = 500;

/** Entries on either side: in a storm, entries further away cannot be identified as a cause. */
const MOST_NEAR = 100;
const MOST = 3;

type Lines = readonly JournalLine[];

/** An operator asked for it. */
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
 * Other entries of the journals about why a VIP moved: on the node that it left, the last findings about that node; on
 * the node that took it, the operator of the order, and the previous holder if its journal is there. They were seen
 * close by in time, which is not a proof. The nodes' clocks must agree to within half a second. Undefined if there are
 * none.
 */
export function likelyCauses(lines: Lines, index: number, phraseOf: Phrase): string | undefined {
  const line = lines[index];
  if (line?.event !== 'vrrp-transition' || line.reason === reloadReason) return undefined;
  const why = line.to === 'MASTER' ? whyTaken : whyNotHeld;
  return why(lines, index, line, phraseOf).join('; ') || undefined;
}

function whyTaken(lines: Lines, index: number, line: JournalLine, phraseOf: Phrase): readonly string[] {
  const ordered = seenBefore(lines, index, line, ({ event }) => ORDERS.has(event)).map(phraseOf);
  const before = previousHolder(lines, index, line);
  if (before === undefined) return ordered;
  // If no node held it for a while, the new holder has recovered.
  const recovered =
    before.kind !== 'silent' && aheadMs(before.line, line) > WINDOW_MS ? recovery(lines, index, line) : [];
  return [...ordered, ...recovered.map(phraseOf), beforeText(before, line)];
}

/** Negative for one that came later. */
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
  // A holder that hears no peer keeps the VIP: it leaves when the network is whole again.
  if (aheadMs < -SLACK_MS) return `was still MASTER, and left it ${durationText(-aheadMs)} later`;
  return aheadMs > WINDOW_MS ? `left MASTER ${durationText(aheadMs)} before` : 'left MASTER';
}

function whyNotHeld(lines: Lines, index: number, line: JournalLine, phraseOf: Phrase): readonly string[] {
  if (line.to === 'BACKUP' && line.from !== 'MASTER')
    return line.from === 'FAULT' ? recovery(lines, index, line).map(phraseOf) : [];
  const other = line.from === 'MASTER' ? nearestTaking(lines, index, line) : undefined;
  const found = seenBefore(lines, index, line, (each) => isEvidence(each, line));
  const seen = [...found, ...notifiedAfter(lines, index, line)];
  return [...seen.map(phraseOf), ...(other === undefined ? [] : [`${printable(other.node)} became MASTER`])];
}

/**
 * A higher value never costs a node its VIP, such as the bonus of a new holder. If keepalived ended, only a value
 * with which a node cannot serve counts.
 */
function isEvidence({ event, from, to }: JournalLine, line: JournalLine): boolean {
  if (event !== 'track-value-changed') return EVIDENCE.has(event);
  return line.to === 'STOP' ? Number(to) < 0 : !(Number(to) > Number(from));
}

/** The last few of these on this node. */
function seenBefore(
  lines: Lines,
  index: number,
  line: JournalLine,
  isMeant: (each: JournalLine) => boolean,
): Lines {
  const found: JournalLine[] = [];
  for (let at = index - 1; at >= Math.max(0, index - MOST_NEAR) && found.length < MOST; at -= 1) {
    const before = lines[at];
    if (before === undefined || distanceMs(before, line) > WINDOW_MS) break;
    const isOurs = before.node === line.node && isMeant(before);
    if (isOurs && concerns(before, line)) found.unshift(before);
  }
  return found;
}

/** A monitor's verdict moves the VIP first, and is written down then. */
function notifiedAfter(lines: Lines, index: number, line: JournalLine): Lines {
  const isVerdict = (each: JournalLine): boolean =>
    each.node === line.node && each.event === 'track-value-changed' && Number(each.to) < 0;
  const after = lines.slice(index + 1, index + 1 + MOST_NEAR);
  const soon = after.filter((each) => distanceMs(each, line) <= SLACK_MS);
  return soon.filter((each) => isVerdict(each) && concerns(each, line)).slice(0, 1);
}

/** The health of the ingress VIP moves no API VIP, nor does an order about it. */
function concerns({ event, subject }: JournalLine, { subject: instance }: JournalLine): boolean {
  if (event !== 'track-value-changed' && event !== 'haproxy-health-changed' && !ORDERS.has(event))
    return true;
  if (subject === undefined || instance === undefined) return true;
  return vipKinds.some((kind) => subject.split(', ').includes(kind) && isInstanceOf(kind, instance));
}

/** The nearest time that another node took what this one lost. */
function nearestTaking(lines: Lines, index: number, line: JournalLine): JournalLine | undefined {
  const isTaking = (each: JournalLine): boolean =>
    isMove(each, line.subject) && each.node !== line.node && each.to === 'MASTER';
  const near = lines.slice(Math.max(0, index - MOST_NEAR), index + MOST_NEAR + 1);
  const taken = near.filter((each) => distanceMs(each, line) <= WINDOW_MS && isTaking(each));
  return taken.toSorted((a, b) => distanceMs(a, line) - distanceMs(b, line))[0];
}

/** What became of the previous holder before a node took the VIP. */
type PreviousHolder =
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

/** A node that took the VIP while it was reloaded tells of it as of its state. */
function isHeldAtReload(line: JournalLine, taking: JournalLine): boolean {
  const { event, subject, to, reason } = line;
  const isReport = event === 'vrrp-transition' && subject === taking.subject && reason === reloadReason;
  return isReport && to === 'MASTER' && distanceMs(line, taking) > SLACK_MS;
}

/** The node's next move shows it, however late: an isolated holder keeps the VIP until it hears the others again. */
function whatBecame(lines: Lines, index: number, holder: JournalLine): PreviousHolder {
  const { node, subject } = holder;
  const line = lines.find((each, at) => at > index && each.node === node && isMove(each, subject));
  return line?.from === 'MASTER' ? { kind: 'left', line } : { kind: 'silent', node };
}

/** A node that left soon after the take-over and has no earlier entry. */
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

/** The node that left at `leftAt` had taken the VIP at the same moment as `taking`. */
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

/** An instance went from one state to another, and not only through a reload. */
function isMove(line: JournalLine, subject: string | undefined): boolean {
  return line.event === 'vrrp-transition' && line.subject === subject && line.reason !== reloadReason;
}

function distanceMs(a: JournalLine, b: JournalLine): number {
  return Math.abs(aheadMs(a, b));
}

/** In a storm each line is compared with hundreds of others, twice a second while the page is open. */
const timeOf = oncePer(({ at }: JournalLine) => Date.parse(at));

/** The events that the VIP's journals keep, and their likely causes. */
export const vipJournal = { events: vipEvents, causes: likelyCauses };
