import { rename } from 'node:fs/promises';
import { dirname } from 'node:path';
import { codeOf, messageOf } from '../system/errors.ts';
import { syncDirectory, writeFileAtomically } from '../system/file/atomic-write.ts';
import { afterReload } from './after-reload.ts';
import type { ApplyOutcome } from './apply-outcome.ts';
import {
  connectSupervisor,
  type ReloadOutcome,
  type Supervisor,
  type SupervisorOptions,
} from './ask-supervisor.ts';
import type { ConfigurationCheck } from './configuration-check.ts';
import { identityOf, mustBeSet, type Rendered, SET_FOLDER, sha256Of } from './file-set.ts';
import { type ForeignFile, isOwnFile, keepForeignFile } from './foreign-file.ts';
import { createKnownFiles, type KnownFiles } from './known-files.ts';
import {
  discard,
  findLiveFile,
  keepModes,
  type LiveFile,
  readIfThere,
  removeLeftovers,
} from './live-file.ts';
import { removeOldSets, removeUnlessNamed } from './old-sets.ts';
import { findInPlace, type StagedSet, stageSet } from './set-folder.ts';
import { folderNamedIn, numberOf } from './set-path.ts';

/** The supervisor to ask, its control socket, and how long to wait for it. */
export interface ApplierOptions extends SupervisorOptions {
  readonly configPath: string;
  /** What HAProxy itself says about a file. */
  readonly check: ConfigurationCheck;
  /** How to come from the text in place to another one; without it every change is a reload. */
  readonly difference?: Compare;
  /** A file that hawser did not write was kept beside its place, and is replaced. */
  readonly onForeign?: (foreign: ForeignFile) => void;
}

/** Of the set in place the other files are known where this applier has put them there, or they are the same. */
type Compare = (before: SetInPlace, after: Rendered) => Difference;
type SetInPlace = Pick<Rendered, 'text' | 'others'>;

/** What a program that runs can be told, in words of its supervisor, or why it has to be reloaded. */
export type Difference =
  | { readonly kind: 'nothing' }
  | { readonly kind: 'runtime'; readonly changes: readonly object[] }
  | { readonly kind: 'reload'; readonly what: string; readonly reason: string };

export interface Applier {
  /**
   * Brings a configuration into service: checks it with the real HAProxy, replaces the file in one step, asks for a reload and
   * waits for its answer. The live file is at every moment a whole one, with the template's mode, and so are the files that
   * it names. Where the reload is refused, the bytes of before come back. Rejects only when `signal` stops it; call it for
   * one configuration at a time.
   */
  apply(rendered: Rendered, signal: AbortSignal): Promise<ApplyOutcome>;
  /**
   * A rejected one is answered with the same rejection, at no cost, until another one is applied or this is called:
   * a rejection may have had a passing reason (a port still taken), and the caller knows when it is time to look.
   */
  retryRejected(): void;
}

/** Of a main file of ours that lay there. */
interface Edit {
  readonly file: LiveFile;
  readonly before: Buffer;
  readonly rendered: Rendered;
  readonly staged: StagedSet;
}

type Rejection = Extract<ApplyOutcome, { kind: 'rejected' }>;

/** What an applier remembers between calls. */
interface Memory {
  readonly supervisor: Supervisor;
  readonly known: KnownFiles;
  /** Hash of the main file that is in place and known to be served. */
  served: string | undefined;
  /** The set that was put in place last, by the hash of its main file. */
  inPlace: { readonly sha256: string; readonly rendered: Rendered } | undefined;
  rejected: { readonly identity: string; readonly outcome: Rejection } | undefined;
  /** Whether what a killed monitor left has been removed. */
  cleaned: boolean;
}

export function createApplier(options: ApplierOptions): Applier {
  const memory: Memory = {
    supervisor: connectSupervisor(options),
    known: createKnownFiles(),
    served: undefined,
    inPlace: undefined,
    rejected: undefined,
    cleaned: false,
  };
  return {
    apply: async (rendered, signal) => {
      try {
        const isPlain = rendered.mode === (rendered.mode & 0o777);
        const set = isPlain ? rendered : { ...rendered, mode: rendered.mode & 0o777 };
        return await applySet(set, options, memory, signal);
      } catch (error) {
        signal.throwIfAborted();
        return failed(options.configPath, error);
      }
    },
    retryRejected: () => {
      memory.rejected = undefined;
    },
  };
}

function failed(path: string, error: unknown): ApplyOutcome {
  const code = codeOf(error);
  // Everything here that throws is a file operation; a mistake of our own must not pass for one.
  if (code === undefined) throw error;
  const expected = code === 'EFBIG' || code === 'EINVAL' ? '' : ', expected a writable directory';
  return {
    kind: 'failed',
    message: `Cannot replace configuration "${path}": ${messageOf(error)}${expected}`,
  };
}

async function applySet(
  rendered: Rendered,
  options: ApplierOptions,
  memory: Memory,
  signal: AbortSignal,
): Promise<ApplyOutcome> {
  signal.throwIfAborted();
  const { mode } = rendered;
  const identity = identityOf(rendered);
  if (memory.rejected?.identity === identity) return memory.rejected.outcome;
  memory.rejected = undefined;
  mustBeSet(rendered);
  const file = await findLiveFile(options.configPath);
  if (!memory.cleaned) {
    await removeLeftovers(file, Date.now());
    await removeOldSets(file);
  }
  memory.cleaned = true;
  const found = await readIfThere(file.path);
  const inPlace = await findInPlace(file, found, rendered, memory.known);
  // A file that hawser did not write is not to come back where ours is refused.
  const before = isOwnFile(file.path) ? found : undefined;
  if (inPlace !== undefined) {
    await keepModes(file, mode);
    memory.inPlace = { sha256: sha256Of(inPlace.text), rendered };
    if (await isServed(memory.inPlace.sha256, memory, signal)) return { kind: 'unchanged' };
  }

  const staged = inPlace ?? (await stageSet(file, found, rendered, memory.known));
  const refusal = inPlace ? undefined : await checkAndReplace(file, staged, mode, options, signal);
  if (refusal !== undefined) return remember(memory, identity, refusal);
  // From here on no text is known to be served until the supervisor confirms one.
  memory.served = undefined;
  const isEdit = inPlace === undefined && before !== undefined;
  const edit = isEdit ? { file, before, rendered, staged } : undefined;
  const sha256 = sha256Of(staged.text);
  const wanted = { sha256, isChecked: inPlace === undefined };
  const outcome = await bringIntoService(edit, wanted, options, memory, signal);
  memory.inPlace = { sha256, rendered };
  if (outcome.kind === 'reloaded') memory.served = sha256;
  const settled = await afterReload(file, { text: staged.text, before, mode }, outcome);
  await removeOldSets(file);
  return remember(memory, identity, settled);
}

/** The supervisor decides whether `before` is what it serves. */
async function bringIntoService(
  edit: Edit | undefined,
  { sha256, isChecked }: { readonly sha256: string; readonly isChecked: boolean },
  { difference }: ApplierOptions,
  { supervisor, inPlace }: Memory,
  signal: AbortSignal,
): Promise<ReloadOutcome> {
  const checked = isChecked ? sha256 : undefined;
  if (edit === undefined || difference === undefined) return await supervisor.reload(checked, signal);
  const from = sha256Of(edit.before);
  const known = inPlace?.sha256 === from ? inPlace.rendered : undefined;
  const found = difference(setBefore(edit, known), edit.rendered);
  if (found.kind === 'reload') {
    const outcome = await supervisor.reload(checked, signal);
    const { what, reason } = found;
    return outcome.kind === 'reloaded' ? { ...outcome, what, reason } : outcome;
  }
  const changes = found.kind === 'runtime' ? found.changes : [];
  const { folder } = edit.staged;
  const set = folder === undefined ? {} : { set: numberOf(folder) };
  return await supervisor.change({ from, to: sha256, ...set, changes }, signal);
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

/** A supervisor that started with this file needs no reload, so its status is asked first. */
async function isServed(sha256: string, memory: Memory, signal: AbortSignal): Promise<boolean> {
  if (memory.served === sha256) return true;
  if ((await memory.supervisor.servedSha256(signal)) !== sha256) return false;
  memory.served = sha256;
  return true;
}

function remember(memory: Memory, identity: string, outcome: ApplyOutcome): ApplyOutcome {
  if (outcome.kind === 'rejected') memory.rejected = { identity, outcome };
  return outcome;
}

/** Undefined where the live file now holds the staged text; else nothing of the set is left. */
async function checkAndReplace(
  file: LiveFile,
  { text, folder }: StagedSet,
  mode: number,
  options: ApplierOptions,
  signal: AbortSignal,
): Promise<ApplyOutcome | undefined> {
  try {
    await writeFileAtomically(file.candidate, text, { mode });
    const check = await options.check(file.candidate, signal);
    if (check.kind === 'impossible') return { kind: 'failed', message: check.message };
    if (check.kind === 'invalid')
      return { kind: 'rejected', by: 'check', message: check.message, detail: check.detail };
    const foreign = await keepForeignFile(file);
    await rename(file.candidate, file.path);
    await syncDirectory(dirname(file.path));
    if (foreign !== undefined) options.onForeign?.(foreign);
    return undefined;
  } finally {
    await discard(file.candidate);
    if (folder !== undefined) await removeUnlessNamed(file, folder);
  }
}
