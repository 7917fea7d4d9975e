import { allJournals } from '../../../src/commands/journal-words.ts';
import type { JournalLine } from '../../../src/engine/observe/journal/journal-line.ts';
import { type Holding, holdersAt, holdingsOf } from '../../helpers/vrrp/holdings.ts';
import { trueCauseOf } from './true-causes.ts';
import type { Verdict, Violation } from './verdict.ts';
import { type FaultWindow, faultsNear, isStarved, relative, type View } from './view.ts';

/** The kernel's events and the journal's timestamps agree to within this. */
const TOLD_MS = 1_500;

interface Move extends Holding {
  /** The only fault of its episode; undefined if the episode had several. */
  readonly fault: FaultWindow | undefined;
}

/** V4: every node that gets the VIP journals it, and `timeline` names a cause: the true one if the episode had a single fault. */
export function movesAreCaused(view: View): Verdict {
  const moves = movesOf(view);
  const lines = view.journal.map(({ line }) => line);
  return {
    name: 'V4',
    claim: 'no move without a cause in the journals, and timeline names the true one',
    judged: moves.length,
    violations: [...moves.flatMap((move) => judgeMove(view, lines, move)), ...needlessMoves(view, moves)],
    notes: [`${moves.filter(({ fault }) => fault !== undefined).length} moves after one fault alone`],
  };
}

function movesOf(view: View): readonly Move[] {
  return holdingsOf(view.holdings)
    .filter(({ fromMs }) => fromMs > view.startMs && fromMs <= view.endMs)
    .filter((holding) => !isPutByHand(view, holding))
    .map((holding) => ({ ...holding, fault: loneFaultAt(view, holding.fromMs) }));
}

/** The fault itself adds the address, and may be over by the time the kernel's event arrives. */
function isPutByHand({ faults }: View, holding: Holding): boolean {
  return faults.some(
    ({ name, variant, node, fromMs, toMs }) =>
      `${name} ${variant}` === 'by-hand add-vip' &&
      node === holding.node &&
      fromMs <= holding.fromMs &&
      holding.fromMs <= toMs + TOLD_MS,
  );
}

function loneFaultAt({ faults, rests }: View, atMs: number): FaultWindow | undefined {
  const episode = rests.find((rest) => rest.atMs >= atMs)?.episode;
  const [fault, ...others] = faults.filter((each) => each.episode === episode);
  return others.length === 0 ? fault : undefined;
}

function judgeMove(view: View, lines: readonly JournalLine[], move: Move): readonly Violation[] {
  // An address added by hand comes without a MASTER transition, and on a full disk no journal is written.
  const isUntold = view.faults.some(
    ({ name, node, fromMs, toMs }) =>
      node === move.node &&
      ['by-hand', 'fill-disk'].includes(name) &&
      fromMs <= move.fromMs &&
      toMs + TOLD_MS >= move.fromMs,
  );
  if (isUntold) return [];
  const index = view.journal.findIndex(
    ({ atMs, line }) =>
      line.event === 'vrrp-transition' &&
      line.node === move.node &&
      line.to === 'MASTER' &&
      atMs > move.fromMs - TOLD_MS &&
      atMs < toldBy(view, move),
  );
  if (index === -1)
    return [violation(view, move, `${move.node} got the VIP, and its journal does not say so`)];
  const told = allJournals.causesOf(lines, index);
  if (told === undefined)
    return [violation(view, move, `timeline names no cause for the move to ${move.node}`)];
  const expected = move.fault === undefined ? undefined : trueCauseOf(move.fault);
  const said = [told, lossOf(view, lines, move)].join(' ');
  return expected === undefined || expected.test(said)
    ? []
    : [violation(view, move, `timeline says of the move to ${move.node}: "${said}", expected ${expected}`)];
}

/** A stopped supervisor reports the move once it resumes. */
function toldBy({ faults }: View, { node, fromMs }: Move): number {
  const stops = faults.filter(
    (each) =>
      each.node === node &&
      ['stop keepalived-supervisor', 'stop keepalived-container'].includes(`${each.name} ${each.variant}`) &&
      each.fromMs <= fromMs &&
      each.toMs >= fromMs,
  );
  return Math.max(fromMs, ...stops.map(({ toMs }) => toMs)) + TOLD_MS;
}

/** What timeline says about the node that lost the VIP. */
function lossOf(view: View, lines: readonly JournalLine[], { fault, fromMs }: Move): string {
  const index = view.journal.findIndex(
    ({ atMs, line }) =>
      line.event === 'vrrp-transition' &&
      line.node === fault?.node &&
      line.from === 'MASTER' &&
      Math.abs(atMs - fromMs) < 10_000,
  );
  return index === -1 ? '' : `${lines[index]?.reason ?? ''} ${allJournals.causesOf(lines, index) ?? ''}`;
}

/** For single-fault episodes: more moves than the fault may cost, or any move if the holder was not hit. */
function needlessMoves(view: View, moves: readonly Move[]): readonly Violation[] {
  return view.faults.flatMap((fault) => {
    const own = moves.filter((move) => move.fault?.id === fault.id);
    const [first] = own;
    if (first === undefined) return [];
    const holders = holdersAt(view.holdings, fault.fromMs - 1);
    const hitsHolder = fault.nodes.some((node) => holders.includes(node));
    const most = hitsHolder || fault.bound.movesAnywhere ? fault.bound.moves : 0;
    const said = `${fault.name} ${fault.variant} on ${hitsHolder ? 'the holder' : 'a backup'} moved the VIP`;
    return own.length > most ? [violation(view, first, `${said} ${own.length} times, expected ${most}`)] : [];
  });
}

function violation(view: View, { fromMs, node }: Move, what: string): Violation {
  const near = view.journal.filter(({ atMs }) => Math.abs(atMs - fromMs) < 3_000);
  return {
    atMs: fromMs,
    what,
    proof: [
      `${node} has the VIP`,
      ...faultsNear(view, fromMs, fromMs),
      ...near.map(
        ({ atMs, line }) =>
          `${relative(atMs, fromMs)} ${line.node} ${line.event} ${line.subject ?? ''} ${line.from ?? ''} → ${line.to ?? ''}: ${line.reason ?? ''}`,
      ),
    ],
    starved: isStarved(view, fromMs - 1_000, fromMs),
  };
}
