import { othersOf, type Rendered } from '../../engine/apply/file-set.ts';
import { changedSections } from './changed-sections.ts';
import { describeConfiguration } from './describe-configuration.ts';
import { type Plan, plan } from './plan.ts';
import { type KindOf, planFiles } from './plan-files.ts';

/** How to come from one haproxy.cfg to another. Only sections that differ are taken apart. */
export function differenceOf(before: string, after: string): Plan {
  if (before === after) return { kind: 'nothing' };
  const changed = changedSections(before, after);
  const [running, wanted] = [describeConfiguration(changed.before), describeConfiguration(changed.after)];
  if (running !== undefined && wanted !== undefined) return plan(running, wanted);
  return { kind: 'reload', what: 'conditions', reason: 'parts of the file depend on conditions' };
}

/** A set as it lies there: its other files may be unknown. */
export type KnownSet = Pick<Rendered, 'text' | 'others'>;

/** How to come from one haproxy.cfg with the files that it names to another. Servers come before the files, and go after them. */
export function setDifferenceOf(before: KnownSet | undefined, after: KnownSet, kindOf: KindOf): Plan {
  if (before === undefined || (before.others === undefined && othersOf(after).length > 0))
    return { kind: 'reload', what: 'files-changed', reason: 'the files of before are not known' };
  const main = differenceOf(before.text, after.text);
  if (main.kind === 'reload') return main;
  const files = planFiles(othersOf(before), othersOf(after), kindOf);
  if (files.kind === 'reload') return files;
  const changes = [...(main.kind === 'runtime' ? main.changes : []), ...files.changes];
  return changes.length === 0 ? { kind: 'nothing' } : { kind: 'runtime', changes };
}
