import type { ReloadOutcome, Supervisor, Told } from './ask-supervisor.ts';
import { type Rendered, SET_FOLDER } from './file-set.ts';
import type { MainFile } from './main-file.ts';
import type { StagedSet } from './set-folder.ts';
import { numberOf } from './set-path.ts';

/** What a program that runs can be told, in words of its supervisor, or why it has to be reloaded. */
export type Difference =
  | { readonly kind: 'nothing' }
  /** `readsFiles`: the supervisor reads some of it in the files of the new set. */
  | { readonly kind: 'runtime'; readonly changes: readonly object[]; readonly readsFiles?: true }
  | { readonly kind: 'reload'; readonly what: string; readonly reason: string };

/** Of the set in place the other files are known where this applier has put them there, or they are the same. */
export type Compare = (before: SetInPlace, after: Rendered) => Difference;
type SetInPlace = Pick<Rendered, 'text' | 'others' | 'pieces'>;

/** Of a main file of ours that lay there. */
export interface Edit {
  /** What runs, as the supervisor calls it. */
  readonly from: string;
  readonly before: MainFile;
  readonly rendered: Rendered;
  readonly staged: Pick<StagedSet, 'folder'>;
  /** How they differ, where that is known already. */
  readonly found: Difference | undefined;
}

/** How the supervisor is asked: it decides whether what lay there before is what it serves. */
export type Way =
  | { readonly kind: 'reload'; readonly what?: string; readonly reason?: string }
  | {
      readonly kind: 'change';
      readonly from: string;
      readonly set?: number;
      readonly changes: readonly object[];
      /** It was told already, and this is what came of it. */
      readonly told?: Told;
    };

export const reload: Way = { kind: 'reload' };

export function wayFrom(edit: Edit, difference: Compare | undefined): Way {
  if (difference === undefined) return reload;
  const { from } = edit;
  const found = edit.found ?? difference(setBefore(edit), edit.rendered);
  if (found.kind === 'reload') return found;
  const { folder } = edit.staged;
  const changes = found.kind === 'runtime' ? found.changes : [];
  return { kind: 'change', from, ...(folder !== undefined && { set: numberOf(folder) }), changes };
}

/** The file that lies there now. */
interface Wanted {
  readonly sha256: string;
  /** HAProxy has accepted it. */
  readonly isChecked: boolean;
}

export async function bringIntoService(
  way: Way,
  { sha256, isChecked }: Wanted,
  supervisor: Supervisor,
  signal: AbortSignal,
): Promise<ReloadOutcome> {
  if (way.kind === 'change') {
    const { from, set, changes, told } = way;
    const order = { from, to: sha256, checked: isChecked, ...(set !== undefined && { set }), changes };
    const outcome = await supervisor.change(order, signal);
    return outcome.kind === 'reloaded' && outcome.atRunTime === true ? { ...outcome, ...told } : outcome;
  }
  const outcome = await supervisor.reload(signal);
  const { kind: _, ...why } = way;
  return outcome.kind === 'reloaded' ? { ...outcome, ...why } : outcome;
}

/** Whatever folder its main file names: another folder is no difference of its own. */
function setBefore({ before, rendered, staged }: Edit): SetInPlace {
  if (before.rendered !== undefined) return before.rendered;
  const { folder } = before;
  const found = before.bytes().toString('utf8');
  const text = folder === undefined ? found : found.replaceAll(folder, SET_FOLDER);
  return folder === staged.folder && rendered.others !== undefined
    ? { text, others: rendered.others }
    : { text };
}
