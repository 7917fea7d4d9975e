import type { ReloadOutcome, Supervisor } from './ask-supervisor.ts';
import { type Rendered, SET_FOLDER, sha256Of } from './file-set.ts';
import type { LiveFile } from './live-file.ts';
import type { StagedSet } from './set-folder.ts';
import { folderNamedIn, numberOf } from './set-path.ts';

/** What a program that runs can be told, in words of its supervisor, or why it has to be reloaded. */
export type Difference =
  | { readonly kind: 'nothing' }
  | { readonly kind: 'runtime'; readonly changes: readonly object[] }
  | { readonly kind: 'reload'; readonly what: string; readonly reason: string };

/** Of the set in place the other files are known where this applier has put them there, or they are the same. */
export type Compare = (before: SetInPlace, after: Rendered) => Difference;
type SetInPlace = Pick<Rendered, 'text' | 'others'>;

/** A set that was put in place, by the hash of its main file. */
export interface KnownSet {
  readonly sha256: string;
  readonly rendered: Rendered;
}

/** Of a main file of ours that lay there. */
export interface Edit {
  readonly file: LiveFile;
  readonly before: Buffer;
  readonly rendered: Rendered;
  readonly staged: StagedSet;
}

/** How the supervisor is asked: it decides whether what lay there before is what it serves. */
export type Way =
  | { readonly kind: 'reload'; readonly what?: string; readonly reason?: string }
  | {
      readonly kind: 'change';
      readonly from: string;
      readonly set?: number;
      readonly changes: readonly object[];
    };

export const reload: Way = { kind: 'reload' };

export function wayFrom(edit: Edit, difference: Compare | undefined, inPlace: KnownSet | undefined): Way {
  if (difference === undefined) return reload;
  const from = sha256Of(edit.before);
  const known = inPlace?.sha256 === from ? inPlace.rendered : undefined;
  const found = difference(setBefore(edit, known), edit.rendered);
  if (found.kind === 'reload') return found;
  const { folder } = edit.staged;
  const changes = found.kind === 'runtime' ? found.changes : [];
  return { kind: 'change', from, ...(folder !== undefined && { set: numberOf(folder) }), changes };
}

/** The file that lies there now. */
interface Wanted {
  readonly sha256: string;
  /** It was put there just now; one that lay there already may be refused by the supervisor's HAProxy, whose words are wanted. */
  readonly isNew: boolean;
  /** HAProxy has accepted it. */
  readonly isChecked: boolean;
}

export async function bringIntoService(
  way: Way,
  { sha256, isNew, isChecked }: Wanted,
  supervisor: Supervisor,
  signal: AbortSignal,
): Promise<ReloadOutcome> {
  if (way.kind === 'change') {
    const { from, set, changes } = way;
    const order = { from, to: sha256, checked: isChecked, ...(set !== undefined && { set }), changes };
    return await supervisor.change(order, signal);
  }
  const outcome = await supervisor.reload(isNew ? sha256 : undefined, signal);
  const { kind: _, ...why } = way;
  return outcome.kind === 'reloaded' ? { ...outcome, ...why } : outcome;
}

/** Whatever folder its main file names: another folder is no difference of its own. */
function setBefore({ file, before, rendered, staged }: Edit, known: Rendered | undefined): SetInPlace {
  if (known !== undefined) return known;
  const folder = folderNamedIn(file, before);
  const found = before.toString('utf8');
  const text = folder === undefined ? found : found.replaceAll(folder, SET_FOLDER);
  return folder === staged.folder && rendered.others !== undefined
    ? { text, others: rendered.others }
    : { text };
}
