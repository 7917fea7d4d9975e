import { isSameText, othersOf, type Rendered } from '../../engine/apply/file-set.ts';
import { readsFile } from './change.ts';
import { backendsIn, type Configuration, changedSections } from './changed-sections.ts';
import { describeConfiguration } from './describe-configuration.ts';
import type { Description } from './description.ts';
import { type Plan, plan } from './plan.ts';
import { type KindOf, planFiles } from './plan-files.ts';

/** How to come from one haproxy.cfg to another. Only sections that differ are taken apart. */
export function differenceOf(before: string, after: string): Plan {
  return comparisonOf({ text: before }, { text: after }).found;
}

/**
 * The named backends that are unchanged, or differ only in what can be updated at runtime. Each is compared alone, so that a backend that needs
 * a reload does not affect another. Empty if one may depend on another.
 */
export function toldBackends(
  before: Configuration,
  after: Configuration,
  names: readonly string[],
): readonly string[] {
  if (names.length === 0) return [];
  const changed = changedSections(before, after);
  const [old, now] = [backendsIn(changed.before), backendsIn(changed.after)];
  if (old === undefined || now === undefined) return [];
  return names.filter((name) => {
    const [one, other] = [old.get(name), now.get(name)];
    if (one === undefined || other === undefined) return one === other;
    return differenceOf(one, other).kind !== 'reload';
  });
}

interface Comparison {
  readonly found: Plan;
  /** Of the sections that differ. */
  readonly running?: Description;
}

function comparisonOf(before: Configuration, after: Configuration): Comparison {
  if (isSameText(before, after)) return { found: { kind: 'nothing' } };
  const changed = changedSections(before, after);
  const [running, wanted] = [describeConfiguration(changed.before), describeConfiguration(changed.after)];
  if (running !== undefined && wanted !== undefined) return { found: plan(running, wanted), running };
  const reason = 'parts of the file depend on conditions';
  return { found: { kind: 'reload', what: 'conditions', reason } };
}

/** For servers that are pods: a removed one was asked to end, and has time to finish its requests. */
function gentle({ found, running }: Comparison): Plan {
  if (found.kind !== 'runtime') return found;
  const changes = found.changes.map((change) => {
    const options = change.kind === 'server' ? running?.servers.get(change.server)?.options : undefined;
    return options === undefined ? change : { ...change, mayFinish: { options } };
  });
  return { kind: 'runtime', changes };
}

/** A set on disk: its other files may be unknown. */
export type KnownSet = Pick<Rendered, 'text' | 'others' | 'pieces'>;

/**
 * How to come from one haproxy.cfg with the files that it names to another, where the servers are pods: connections with one that goes or
 * moves may finish. Servers come before the files, and go after them.
 */
export function setDifferenceOf(before: KnownSet | undefined, after: KnownSet, kindOf: KindOf): Plan {
  if (before === undefined || (before.others === undefined && othersOf(after).length > 0))
    return { kind: 'reload', what: 'files-changed', reason: 'the previous files are not known' };
  const main = gentle(comparisonOf(before, after));
  if (main.kind === 'reload') return main;
  const files = planFiles(othersOf(before), othersOf(after), kindOf);
  if (files.kind === 'reload') return files;
  const changes = [...(main.kind === 'runtime' ? main.changes : []), ...files.changes];
  if (changes.length === 0) return { kind: 'nothing' };
  return changes.some(readsFile)
    ? { kind: 'runtime', changes, readsFiles: true }
    : { kind: 'runtime', changes };
}
