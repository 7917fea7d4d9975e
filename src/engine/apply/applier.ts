import { rename } from 'node:fs/promises';
import { dirname } from 'node:path';
import { codeOf, messageOf } from '../system/errors.ts';
import { syncDirectory, writeFileAtomically } from '../system/file/atomic-write.ts';
import { afterReload } from './after-reload.ts';
import type { ApplyOutcome } from './apply-outcome.ts';
import { connectSupervisor, type Supervisor, type SupervisorOptions } from './ask-supervisor.ts';
import { bringIntoService, type Compare, type KnownSet, reload, wayFrom } from './bring-into-service.ts';
import { checkAfter, checkLeft, type Pending, refusedBy, uncheckedIn } from './check-after.ts';
import type { ConfigurationCheck } from './configuration-check.ts';
import { identityOf, mustBeSet, type Rendered, sha256Of } from './file-set.ts';
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

/** The supervisor to ask, its control socket, and how long to wait for it. */
export interface ApplierOptions extends SupervisorOptions {
  readonly configPath: string;
  /** What HAProxy itself says about a file. */
  readonly check: ConfigurationCheck;
  /** How to come from the text in place to another one; without it every change is a reload. */
  readonly difference?: Compare;
  /**
   * Where the supervisor makes changes, a file of ours is followed by one that is checked after HAProxy has got it: clients of a large
   * configuration do not wait for the check. One that HAProxy has started with needs none. Left out: every file is checked before it is put
   * in place.
   */
  readonly checksAfter?: boolean;
  /** A file that hawser did not write was kept beside its place, and is replaced. */
  readonly onForeign?: (foreign: ForeignFile) => void;
}

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

type Rejection = Extract<ApplyOutcome, { kind: 'rejected' }>;

/** What an applier remembers between calls. */
interface Memory extends Pending {
  readonly supervisor: Supervisor;
  readonly known: KnownFiles;
  /** Hash of the main file that is in place and known to be served. */
  served: string | undefined;
  /** The set that was put in place last, by the hash of its main file. */
  inPlace: KnownSet | undefined;
  rejected: { readonly identity: string; readonly outcome: Rejection } | undefined;
  /** Whether what a killed monitor left has been removed. */
  cleaned: boolean;
}

export function createApplier(options: ApplierOptions): Applier {
  const memory: Memory = {
    supervisor: connectSupervisor(options),
    known: createKnownFiles(),
    served: undefined,
    unchecked: undefined,
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
    if (options.checksAfter === true) memory.unchecked = await uncheckedIn(file);
  }
  memory.cleaned = true;
  const unknown = await checkLeft(file, mode, options.check, memory, signal);
  if (unknown !== undefined) return unknown;
  const found = await readIfThere(file.path);
  const inPlace = await findInPlace(file, found, rendered, memory.known);
  // A file that hawser did not write is not to come back where ours is refused.
  const before = isOwnFile(file.path) ? found : undefined;
  if (inPlace !== undefined) {
    await keepModes(file, mode);
    memory.inPlace = { sha256: sha256Of(inPlace.text), rendered };
    const { sha256 } = memory.inPlace;
    if (memory.unchecked !== sha256 && (await isServed(sha256, memory, signal))) return { kind: 'unchanged' };
  }

  const staged = inPlace ?? (await stageSet(file, found, rendered, memory.known));
  const isEdit = inPlace === undefined && before !== undefined;
  const way = isEdit
    ? wayFrom({ file, before, rendered, staged }, options.difference, memory.inPlace)
    : reload;
  const isAhead = options.checksAfter === true && isEdit && (await memory.supervisor.makesChanges(signal));
  const check = isAhead ? undefined : options.check;
  const refusal = inPlace
    ? undefined
    : await checkAndReplace(file, staged, { ...options, mode, check }, signal);
  if (refusal !== undefined) return remember(memory, identity, refusal);
  // From here on no text is known to be served until the supervisor confirms one.
  memory.served = undefined;
  const sha256 = sha256Of(staged.text);
  if (isAhead) memory.unchecked = sha256;
  const wanted = { sha256, isNew: inPlace === undefined, isChecked: !isAhead };
  const brought = await bringIntoService(way, wanted, memory.supervisor, signal);
  const outcome = await checkAfter(file, brought, sha256, options.check, memory, signal);
  // A refused file gives way to the one of before, which is known still.
  if (outcome.kind !== 'rejected') memory.inPlace = { sha256, rendered };
  if (outcome.kind === 'reloaded') memory.served = sha256;
  const settled = await afterReload(file, { text: staged.text, before, mode }, outcome);
  // What runs was told of a file that is not there any more.
  if (brought.kind === 'reloaded' && outcome.kind === 'rejected')
    await memory.supervisor.reload(undefined, signal);
  await removeOldSets(file);
  return remember(memory, identity, settled);
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

interface Replacing extends Pick<ApplierOptions, 'onForeign'> {
  readonly mode: number;
  /** Left out where the file is checked later. */
  readonly check: ConfigurationCheck | undefined;
}

/** Undefined where the live file now holds the staged text; else nothing of the set is left. */
async function checkAndReplace(
  file: LiveFile,
  { text, folder }: StagedSet,
  options: Replacing,
  signal: AbortSignal,
): Promise<ApplyOutcome | undefined> {
  const { mode } = options;
  try {
    await writeFileAtomically(file.candidate, text, { mode });
    const check = await options.check?.(file.candidate, signal);
    if (check?.kind === 'impossible') return { kind: 'failed', message: check.message };
    if (check?.kind === 'invalid') return refusedBy(check);
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
