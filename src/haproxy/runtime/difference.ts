import type { Plan } from '../../engine/config/deploy-state.ts';
import { isSameText, othersOf, type Rendered, setOfPieces } from '../../engine/config/set.ts';
import { changedSpan } from '../../engine/system/same-list.ts';
import { backendNameIn, type Sections, sectionsOf, titleOf } from '../text/config-text.ts';
import { type RuntimeChange, readsFile, type ServerChange } from './change.ts';
import { type Description, describeConfiguration } from './describe-configuration.ts';
import { planServers, type Reason } from './plan.ts';
import { type KindOf, planFiles, planRenewals } from './plan-files.ts';

/**
 * How to get from one haproxy.cfg, with the files that it names, to another if the servers are pods: connections to a pod that leaves or
 * moves may finish. Each backend is compared alone, so that one that needs a reload does not delay another. Servers are added before the files change,
 * and removed after. If anything needs a reload, maps and lists wait for it: they may name a new backend.
 */
export function planBetween(before: Rendered, after: Rendered, kindOf: KindOf): Plan<RuntimeChange> {
  const main = compare(before, after);
  // Comparing maps of ten thousand lines costs more than everything else here.
  const files = main.reload.length === 0 ? planFiles(othersOf(before), othersOf(after), kindOf) : undefined;
  if (files?.kind === 'changes') {
    const tell = [...main.tell, ...files.changes];
    return { tell, readsFiles: tell.some(readsFile), reload: [], running: after };
  }
  const renewals = planRenewals(othersOf(before), othersOf(after), kindOf);
  const tell = [...main.tell, ...renewals.changes];
  return {
    ...{ tell, readsFiles: tell.some(readsFile) },
    reload: files === undefined ? main.reload : [files.reason],
    running: setOfPieces(main.pieces, { mode: before.mode, others: renewals.files }),
  };
}

type MainText = Pick<Rendered, 'text' | 'pieces'>;

interface MainDifference {
  readonly tell: readonly ServerChange[];
  readonly reload: readonly Reason[];
  /** The revision that runs after `tell`. */
  readonly pieces: readonly string[];
}

function compare(before: MainText, after: MainText): MainDifference {
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

interface Texts {
  readonly before: string;
  readonly after: string;
  /** The whole configurations: a backend may depend on another one. */
  readonly isWhole?: true;
}

/**
 * Two configurations without the backends that are equal in both: of ten thousand, usually one has changed. The whole configurations if a backend may
 * depend on another one, or on defaults that follow some backend.
 */
export function changedSections(before: MainText, after: MainText): Texts {
  if (before.pieces !== undefined && after.pieces !== undefined)
    return changedPieces(before.pieces, after.pieces);
  const [old, now] = [sectionsOf(before.text), sectionsOf(after.text)];
  if (old === undefined || now === undefined)
    return { before: before.text, after: after.text, isWhole: true };
  const isChanged = (other: Sections) => (section: string) =>
    other.backends.get(titleOf(section)) !== section;
  return {
    before: [old.head, ...[...old.backends.values()].filter(isChanged(now))].join(''),
    after: [now.head, ...[...now.backends.values()].filter(isChanged(old))].join(''),
  };
}

/** Of each, the first piece and the pieces that the other lacks. */
function changedPieces(before: readonly string[], after: readonly string[]): Texts {
  const { start, end } = changedSpan(before, after);
  const changed = (pieces: readonly string[]): readonly string[] =>
    pieces.slice(Math.max(start, 1), pieces.length - end);
  const [old, now] = [changed(before), changed(after)];
  const textOf = (head = '', backends: readonly string[], others: ReadonlySet<string>): string =>
    [head, ...backends.filter((piece) => !others.has(piece))].join('');
  return { before: textOf(before[0], old, new Set(now)), after: textOf(after[0], now, new Set(old)) };
}

/**
 * The first configuration with its backends replaced by those of the second, except the ones in `kept`. Its first piece stays, and so do
 * backends that only one of the two has.
 */
function withBackends(before: MainText, after: MainText, kept: ReadonlySet<string>): readonly string[] {
  const [old, now] = [piecesOf(before), piecesOf(after)];
  const { start, end } = changedSpan(old, now);
  const news = new Map(
    now.slice(Math.max(start, 1), now.length - end).map((piece) => [backendNameIn(piece), piece]),
  );
  return old.map((piece, index) => {
    if (index < Math.max(start, 1) || index >= old.length - end) return piece;
    const name = backendNameIn(piece);
    return kept.has(name) ? piece : (news.get(name) ?? piece);
  });
}

function piecesOf({ text, pieces }: MainText): readonly string[] {
  if (pieces !== undefined) return pieces;
  const sections = sectionsOf(text);
  return sections === undefined ? [text] : [sections.head, ...sections.backends.values()];
}
