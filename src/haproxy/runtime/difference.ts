import type { Plan as SetPlan } from '../../engine/config/deploy-state.ts';
import { isSameText, othersOf, type Rendered, setOfPieces } from '../../engine/config/set.ts';
import { type RuntimeChange, readsFile, type ServerChange } from './change.ts';
import { changedSections, withBackends } from './changed-sections.ts';
import { describeConfiguration } from './describe-configuration.ts';
import type { Description } from './description.ts';
import { planServers, type Reason } from './plan.ts';
import { type KindOf, planFiles, planRenewals } from './plan-files.ts';

/** A set on disk: its other files may be unknown. */
export type KnownSet = Pick<Rendered, 'text' | 'others' | 'pieces'>;

/** How to get from one set to another. Both lists may have items, or neither. */
export interface Difference {
  /** Runtime changes, in this order, whether or not a reload follows. */
  readonly tell: readonly RuntimeChange[];
  /** Why the rest needs a reload; empty if runtime changes suffice. */
  readonly reload: readonly Reason[];
  /** The configuration that runs after `tell`: each backend is from one of the two sets. */
  readonly running: KnownSet;
}

/**
 * How to get from one haproxy.cfg, with the files that it names, to another if the servers are pods: connections to a pod that leaves or
 * moves may finish. Each backend is compared alone, so that one that needs a reload does not delay another. Servers are added before the files change,
 * and removed after. If anything needs a reload, maps and lists wait for it: they may name a new backend.
 */
export function difference(before: KnownSet | undefined, after: KnownSet, kindOf: KindOf): Difference {
  if (before === undefined || (before.others === undefined && othersOf(after).length > 0)) {
    const reason = { what: 'files-changed', reason: 'the previous files are not known' } as const;
    return { tell: [], reload: [reason], running: before ?? after };
  }
  const main = compare(before, after);
  const files = planFiles(othersOf(before), othersOf(after), kindOf);
  if (main.reload.length === 0 && files.kind === 'changes')
    return { tell: [...main.tell, ...files.changes], reload: [], running: after };
  const renewals = planRenewals(othersOf(before), othersOf(after), kindOf);
  const { pieces } = main;
  return {
    tell: [...main.tell, ...renewals.changes],
    reload: [...main.reload, ...(files.kind === 'reload' ? [files.reason] : [])],
    running: { pieces, others: renewals.files, text: pieces.join('') },
  };
}

/** The same, for a deployer. */
export function planBetween(before: Rendered, after: Rendered, kindOf: KindOf): SetPlan<RuntimeChange> {
  const { tell, reload, running } = difference(before, after, kindOf);
  const { pieces = [running.text], others = [] } = running;
  return {
    ...{ tell, reload, readsFiles: tell.some(readsFile) },
    running: running === after ? after : setOfPieces(pieces, { mode: before.mode, others }),
  };
}

interface MainDifference {
  readonly tell: readonly ServerChange[];
  readonly reload: readonly Reason[];
  /** The revision that runs after `tell`. */
  readonly pieces: readonly string[];
}

function compare(before: KnownSet, after: KnownSet): MainDifference {
  const unchanged = before.pieces ?? [before.text];
  if (isSameText(before, after)) return { tell: [], reload: [], pieces: unchanged };
  const changed = changedSections(before, after);
  const [running, wanted] = [describeConfiguration(changed.before), describeConfiguration(changed.after)];
  if (running === undefined || wanted === undefined)
    return { tell: [], reload: [conditions], pieces: unchanged };
  const { tell, reload } = planServers(running, wanted);
  const reasons = [...reload.values()];
  const gentle = tell.map((change) => mayFinish(change, running));
  if (reasons.length === 0) return { tell: gentle, reload: [], pieces: after.pieces ?? [after.text] };
  if (changed.isWhole === true || tell.length === 0) return { tell: [], reload: reasons, pieces: unchanged };
  return { tell: gentle, reload: reasons, pieces: withBackends(before, after, new Set(reload.keys())) };
}

const conditions: Reason = { what: 'conditions', reason: 'parts of the file depend on conditions' };

/** For servers that are pods: a removed pod was asked to stop, and has time to finish its requests. */
function mayFinish(change: ServerChange, { servers }: Description): ServerChange {
  const options = servers.get(change.server)?.options;
  return options === undefined ? change : { ...change, mayFinish: { options } };
}
