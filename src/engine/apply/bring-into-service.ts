import type { ReloadOutcome, Supervisor, UpdateStats } from './ask-supervisor.ts';
import { type Rendered, SET_FOLDER } from './file-set.ts';
import type { MainFile } from './main-file.ts';
import type { StagedSet } from './set-folder.ts';
import { numberOf } from './set-path.ts';

/** How two sets differ: the runtime changes, as the supervisor takes them, or why a reload is needed. */
export type Difference =
  | { readonly kind: 'nothing' }
  /** `readsFiles`: the supervisor reads files of the new set for it. */
  | { readonly kind: 'runtime'; readonly changes: readonly object[]; readonly readsFiles?: true }
  | { readonly kind: 'reload'; readonly what: string; readonly reason: string };

/** `others` of `before` is known only if this applier wrote them or they are unchanged. */
export type Compare = (before: SetInPlace, after: Rendered) => Difference;
type SetInPlace = Pick<Rendered, 'text' | 'others' | 'pieces'>;

/** A change from a main file that hawser wrote. */
export interface Edit {
  /** The supervisor's id of the running configuration. */
  readonly from: string;
  readonly before: MainFile;
  readonly rendered: Rendered;
  readonly staged: Pick<StagedSet, 'folder'>;
  /** The difference, if it was computed already. */
  readonly found: Difference | undefined;
}

/** The request to the supervisor, which verifies that `from` is what it serves. */
export type ServeRequest =
  | { readonly kind: 'reload'; readonly what?: string; readonly reason?: string }
  | {
      readonly kind: 'change';
      readonly from: string;
      readonly set?: number;
      readonly changes: readonly object[];
      /** The update was already made ahead of the file, with this result. */
      readonly stats?: UpdateStats;
    };

export const reload: ServeRequest = { kind: 'reload' };

export function requestFor(edit: Edit, difference: Compare | undefined): ServeRequest {
  if (difference === undefined) return reload;
  const { from } = edit;
  const found = edit.found ?? difference(setBefore(edit), edit.rendered);
  if (found.kind === 'reload') return found;
  const { folder } = edit.staged;
  const changes = found.kind === 'runtime' ? found.changes : [];
  return { kind: 'change', from, ...(folder !== undefined && { set: numberOf(folder) }), changes };
}

/** The file in place. */
interface Wanted {
  readonly sha256: string;
  /** It passed validation. */
  readonly isChecked: boolean;
}

export async function bringIntoService(
  request: ServeRequest,
  { sha256, isChecked }: Wanted,
  supervisor: Supervisor,
  signal: AbortSignal,
): Promise<ReloadOutcome> {
  if (request.kind === 'change') {
    const { from, set, changes, stats } = request;
    const order = { from, to: sha256, checked: isChecked, ...(set !== undefined && { set }), changes };
    const outcome = await supervisor.change(order, signal);
    return outcome.kind === 'reloaded' && outcome.atRunTime === true ? { ...outcome, ...stats } : outcome;
  }
  const outcome = await supervisor.reload(signal);
  const { kind: _, ...why } = request;
  return outcome.kind === 'reloaded' ? { ...outcome, ...why } : outcome;
}

/** Ignores the set folder's path when comparing. */
function setBefore({ before, rendered, staged }: Edit): SetInPlace {
  if (before.rendered !== undefined) return before.rendered;
  const { folder } = before;
  const found = before.bytes().toString('utf8');
  const text = folder === undefined ? found : found.replaceAll(folder, SET_FOLDER);
  return folder === staged.folder && rendered.others !== undefined
    ? { text, others: rendered.others }
    : { text };
}
