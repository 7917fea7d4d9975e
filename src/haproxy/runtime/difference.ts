import type { Plan } from '../../engine/config/deploy-state.ts';
import { othersOf, type Rendered, setOfPieces } from '../../engine/config/set.ts';
import { changedSpan, isSameList } from '../../engine/system/same-list.ts';
import { backendNameIn, piecesOf } from '../text/config-text.ts';
import { type RuntimeChange, readsFile, type ServerChange } from './change.ts';
import { type Description, describeConfiguration } from './describe-configuration.ts';
import { planServers, type Reason } from './plan.ts';
import { type KindOf, planFiles, planRenewals } from './plan-files.ts';

/**
 * Plans the steps from one haproxy.cfg and its files to another, for servers that are pods: connections to a removed or moved pod may finish. Each
 * backend is compared separately, so that one that needs a reload does not delay another. Servers are added before the files change, and removed
 * afterwards. If anything needs a reload, maps and lists wait for it, because they may name a new backend.
 */
export function planBetween(before: Rendered, after: Rendered, kindOf: KindOf): Plan<RuntimeChange> {
  const main = compare(before, after);
  // Comparing maps of ten thousand lines costs more than everything else here.
  const files = main.reload.length === 0 ? planFiles(othersOf(before), othersOf(after), kindOf) : undefined;
  if (files?.kind === 'changes') {
    const changes = [...main.changes, ...files.changes];
    return { changes, readsFiles: changes.some(readsFile), reload: [], running: after };
  }
  const renewals = planRenewals(othersOf(before), othersOf(after), kindOf);
  const changes = [...main.changes, ...renewals.changes];
  return {
    changes,
    readsFiles: changes.some(readsFile),
    reload: files === undefined ? main.reload : [files.reason],
    running: setOfPieces(main.pieces, { mode: before.mode, others: renewals.files }),
  };
}

interface MainDifference {
  readonly changes: readonly ServerChange[];
  readonly reload: readonly Reason[];
  /** The pieces that run after `changes`. */
  readonly pieces: readonly string[];
}

function compare(before: Rendered, after: Rendered): MainDifference {
  const old = piecesOf(before);
  const now = piecesOf(after);
  if (isSameList(old, now)) return { changes: [], reload: [], pieces: old };
  const changed = changedPieces(old, now);
  const [running, desired] = [changed.before, changed.after].map((pieces) =>
    describeConfiguration(pieces.join('')),
  );
  if (running === undefined || desired === undefined)
    return { changes: [], reload: [conditions], pieces: old };
  const { changes, reload } = planServers(running, desired);
  const reasons = [...reload.values()];
  const gentle = changes.map((change) => mayFinish(change, running));
  if (reasons.length === 0) return { changes: gentle, reload: [], pieces: now };
  const isWhole = old.length === 1 || now.length === 1;
  if (isWhole || changes.length === 0) return { changes: [], reload: reasons, pieces: old };
  return { changes: gentle, reload: reasons, pieces: withBackends(old, changed, new Set(reload.keys())) };
}

const conditions: Reason = { what: 'conditions', reason: 'parts of the file depend on conditions' };

/** For servers that are pods: a removed pod was asked to stop, and has time to finish its requests. */
function mayFinish(change: ServerChange, { servers }: Description): ServerChange {
  const options = servers.get(change.server)?.options;
  return options === undefined ? change : { ...change, mayFinish: { options } };
}

interface ChangedPieces {
  readonly before: readonly string[];
  readonly after: readonly string[];
}

/** The first piece of each configuration, and the pieces that the other one lacks. Of ten thousand backends usually one has changed. */
export function changedPieces(before: readonly string[], after: readonly string[]): ChangedPieces {
  const { start, end } = changedSpan(before, after);
  const changed = (pieces: readonly string[]): readonly string[] =>
    pieces.slice(Math.max(start, 1), pieces.length - end);
  const old = changed(before);
  const now = changed(after);
  const without = (pieces: readonly string[], others: readonly string[]): readonly string[] => {
    const shared = new Set(others);
    return pieces.filter((piece) => !shared.has(piece));
  };
  return {
    before: [...before.slice(0, 1), ...without(old, now)],
    after: [...after.slice(0, 1), ...without(now, old)],
  };
}

/**
 * Replaces the changed backends in `pieces` by the new ones, except those in `kept`. The first piece stays, and so do backends that only one of the
 * two configurations has.
 */
function withBackends(
  pieces: readonly string[],
  { before, after }: ChangedPieces,
  kept: ReadonlySet<string>,
): readonly string[] {
  const changed = new Set(before.slice(1));
  const replacements = new Map(after.slice(1).map((piece) => [backendNameIn(piece), piece]));
  return pieces.map((piece) => {
    if (!changed.has(piece)) return piece;
    const name = backendNameIn(piece);
    return kept.has(name) ? piece : (replacements.get(name) ?? piece);
  });
}
