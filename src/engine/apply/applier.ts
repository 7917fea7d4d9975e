import { createHash, type Hash } from 'node:crypto';
import { rename } from 'node:fs/promises';
import { dirname } from 'node:path';
import { codeOf, messageOf } from '../system/errors.ts';
import { syncDirectory, syncFile, writeFileAtomically } from '../system/file/atomic-write.ts';
import { monotonicMs } from '../system/time/monotonic-clock.ts';
import { afterReload } from './after-reload.ts';
import type { ApplyOutcome } from './apply-outcome.ts';
import { connectSupervisor, type Supervisor, type SupervisorOptions } from './ask-supervisor.ts';
import { bringIntoService, type Compare, reload, wayFrom } from './bring-into-service.ts';
import { checkAfter, checkLeft, type Pending, refusedBy, uncheckedIn } from './check-after.ts';
import type { ConfigurationCheck } from './configuration-check.ts';
import { identityOf, mustBeSet, type Rendered } from './file-set.ts';
import { type ForeignFile, keepForeignFile } from './foreign-file.ts';
import { createKnownFiles, type KnownFiles } from './known-files.ts';
import { discard, findLiveFile, keepModes, type LiveFile, removeLeftovers } from './live-file.ts';
import { BACK_MS, type PlacedSet, readMainFile, stampAt } from './main-file.ts';
import { removeOldSets, removeUnlessNamed } from './old-sets.ts';
import { isInPlace, isKnownOther, type StagedSet, stageSet } from './set-folder.ts';

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

/** Files that this process put in place are taken to be as it left them for so long: of thousands, each look costs a question to the system. */
const LOOK_EVERY_MS = 5_000;

type Rejection = Extract<ApplyOutcome, { kind: 'rejected' }>;

/** What an applier remembers between calls. */
interface Memory extends Pending {
  readonly supervisor: Supervisor;
  readonly known: KnownFiles;
  /** Hash of the main file that is in place and known to be served. */
  served: string | undefined;
  /** The set that was put in place last. */
  inPlace: PlacedSet | undefined;
  /** When each file of it was looked at, or the first of all was written: monotonic milliseconds. */
  lookedAtMs: number;
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
    lookedAtMs: Number.NEGATIVE_INFINITY,
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
  const main = await readMainFile(file, memory.inPlace);
  const isOther = main !== undefined && isKnownOther(main, rendered);
  const isThere = main !== undefined && !isOther && (await isInPlace(main, rendered, memory.known));
  // A file that hawser did not write is not to come back where ours is refused.
  const before = main?.isOwn === true ? main : undefined;
  if (isThere) {
    await keepModes(file, mode);
    const { sha256, folder } = main;
    const stamp = memory.inPlace?.sha256 === sha256 ? memory.inPlace.stamp : undefined;
    memory.inPlace = { sha256, folder, rendered, stamp };
    memory.lookedAtMs = monotonicMs();
    if (memory.unchecked !== sha256 && (await isServed(sha256, memory, signal))) return { kind: 'unchanged' };
  }

  const isTrusted = isOther && monotonicMs() - memory.lookedAtMs < LOOK_EVERY_MS;
  const staged = isThere
    ? { parts: () => [main.bytes()], folder: main.folder, sync: async () => undefined }
    : await stageSet(file, main, rendered, memory.known, isTrusted);
  if (!isTrusted) memory.lookedAtMs = monotonicMs();
  const isEdit = !isThere && before !== undefined;
  const way = isEdit ? wayFrom({ before, rendered, staged }, options.difference) : reload;
  const isAhead = options.checksAfter === true && isEdit && (await memory.supervisor.makesChanges(signal));
  const check = isAhead ? undefined : options.check;
  const timeMs = Date.now() - BACK_MS;
  const isKnown = before?.rendered !== undefined;
  const hash = createHash('sha256');
  const refusal = isThere
    ? undefined
    : await checkAndReplace(file, staged, { ...options, mode, check, timeMs, isKnown, hash }, signal);
  if (refusal !== undefined) return remember(memory, identity, refusal);
  // From here on no text is known to be served until the supervisor confirms one.
  memory.served = undefined;
  const sha256 = isThere ? main.sha256 : hash.digest('hex');
  if (isAhead) memory.unchecked = sha256;
  const wanted = { sha256, isChecked: !isAhead };
  const stamp = await stampAt(file.path, timeMs);
  const brought = await bringIntoService(way, wanted, memory.supervisor, signal);
  if (isAhead) await syncSet(file, staged);
  const outcome = await checkAfter(file, brought, sha256, options.check, memory, signal);
  // A refused file gives way to the one of before, which is known still.
  if (outcome.kind !== 'rejected') memory.inPlace = { sha256, folder: staged.folder, rendered, stamp };
  if (outcome.kind === 'reloaded') memory.served = sha256;
  const settled = await afterReload(file, { staged, sha256, before, mode }, outcome);
  // What runs was told of a file that is not there any more.
  if (brought.kind === 'reloaded' && outcome.kind === 'rejected') await memory.supervisor.reload(signal);
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
  /** Left out where the file is checked, and synced to the disk, later. */
  readonly check: ConfigurationCheck | undefined;
  readonly timeMs: number;
  /** This process put there what lies there. */
  readonly isKnown: boolean;
  /** Gets the bytes that are written. */
  readonly hash: Hash;
}

/** Undefined where the live file now holds the staged bytes; else nothing of the set is left. */
async function checkAndReplace(
  file: LiveFile,
  staged: StagedSet,
  options: Replacing,
  signal: AbortSignal,
): Promise<ApplyOutcome | undefined> {
  const { check, mode, timeMs, isKnown, hash } = options;
  let isReplaced = false;
  try {
    if (check !== undefined) await staged.sync();
    await writeFileAtomically(file.candidate, hashing(staged.parts(), hash), {
      mode,
      timeMs,
      isSynced: check !== undefined,
    });
    const found = await check?.(file.candidate, signal);
    if (found?.kind === 'impossible') return { kind: 'failed', message: found.message };
    if (found?.kind === 'invalid') return refusedBy(found);
    const foreign = isKnown ? undefined : await keepForeignFile(file);
    await rename(file.candidate, file.path);
    isReplaced = true;
    if (check !== undefined) await syncDirectory(dirname(file.path));
    if (foreign !== undefined) options.onForeign?.(foreign);
    return undefined;
  } finally {
    if (!isReplaced) await discard(file.candidate);
    if (!isReplaced && staged.folder !== undefined) await removeUnlessNamed(file, staged.folder);
  }
}

function* hashing(parts: Iterable<Buffer>, hash: Hash): Generator<Buffer, void> {
  for (const part of parts) {
    hash.update(part);
    yield part;
  }
}

/**
 * A power cut before that leaves the last good copy, which the supervisor starts with where HAProxy refuses the file. A file that was cut at the
 * end of a line is served until the next call.
 */
async function syncSet({ path }: LiveFile, staged: StagedSet): Promise<void> {
  await staged.sync();
  await syncFile(path);
  await syncDirectory(dirname(path));
}
