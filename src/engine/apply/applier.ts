import { codeOf, messageOf } from '../system/errors.ts';
import { monotonicMs } from '../system/time/monotonic-clock.ts';
import type { ApplyOutcome } from './apply-outcome.ts';
import { connectSupervisor, type Supervisor, type SupervisorOptions } from './ask-supervisor.ts';
import { awaitsValidation, type Stops, settle, uncheckedIn } from './check-after.ts';
import { isSameSet, mustBeSet, type Rendered } from './file-set.ts';
import { createKnownFiles } from './known-files.ts';
import { findLiveFile, type LiveFile, removeLeftovers } from './live-file.ts';
import { readMainFile } from './main-file.ts';
import { removeOldSets } from './old-sets.ts';
import { type Placing, type Replacement, type ReplaceOptions, replaceSet } from './replace-set.ts';
import { isKnownOther } from './set-folder.ts';
import { createSpareSet } from './spare-set.ts';

/** The supervisor to ask, its control socket, and how long to wait for it. */
export interface ApplierOptions extends SupervisorOptions, ReplaceOptions {
  readonly configPath: string;
  /** Replaces the supervisor behind the control socket. */
  readonly supervisor?: Supervisor;
  /** Monotonic milliseconds. Default: the clock of this machine. */
  readonly now?: () => number;
}

export interface Applier {
  /**
   * Brings a configuration into service: validates it with the real HAProxy, replaces the file atomically, requests a reload and waits for the
   * answer. The live file and the files it names are complete at every moment and have the template's mode. If the reload is refused, the
   * previous bytes are restored. Rejects only when `signal` aborts. Apply one configuration at a time, and not before a pending `settle` has
   * ended.
   */
  apply(rendered: Rendered, signal: AbortSignal): Promise<ApplyOutcome>;
  /**
   * Starts to validate a file that was applied at runtime first; undefined if nothing is unchecked. Until the verdict, `apply` goes ahead with
   * the same set and with anything that is a runtime update. Any other `apply` validates first, also if validation could not run or the state of
   * HAProxy is unknown.
   */
  settle(signal: AbortSignal): Settling | undefined;
  /**
   * A rejected set gets the same rejection again, at no cost, until another set is applied or this is called. The cause may have been transient
   * (a port still in use); the caller decides when to retry.
   */
  retryRejected(): void;
}

/** A validation in progress. */
interface Settling {
  /**
   * `unchanged` if the file is accepted and served. Undefined if the validation was interrupted, the file was replaced, or nothing is known about
   * what is served. A set that was edited by hand is rewritten; then this is the outcome of that. Rejects only when `signal` aborts.
   */
  readonly outcome: Promise<ApplyOutcome | undefined>;
  /**
   * Interrupts the validation if this set is a runtime update and the file has not been unchecked for too long. True: it may be applied once
   * `outcome` has resolved. Everything else waits for the verdict, so that HAProxy never loads on top of a file it would refuse.
   */
  readonly giveWayTo: (rendered: Rendered) => boolean;
}

/** A file that has been unchecked for this long is validated without interruption, however fast changes arrive. */
const OVERDUE_MS = 5_000;

type Rejection = Extract<ApplyOutcome, { kind: 'rejected' }>;

/** What an applier remembers between calls. */
interface Memory extends Placing {
  rejected: { readonly rendered: Rendered; readonly outcome: Rejection } | undefined;
  /** Whether the leftovers of a killed monitor were removed. */
  cleaned: boolean;
}

export function createApplier(options: ApplierOptions): Applier {
  const memory: Memory = {
    supervisor: options.supervisor ?? connectSupervisor(options),
    known: createKnownFiles(),
    spare: createSpareSet(),
    now: options.now ?? monotonicMs,
    served: undefined,
    unchecked: undefined,
    inPlace: undefined,
    runtimeSet: undefined,
    verifiedAtMs: Number.NEGATIVE_INFINITY,
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
        const found = failed(options.configPath, error);
        return memory.runtimeSet !== undefined && isSameSet(memory.runtimeSet.rendered, rendered)
          ? inMemoryOnly(found)
          : found;
      }
    },
    settle: (signal) => {
      if (!awaitsValidation(memory)) return undefined;
      const interrupt = new AbortController();
      const stops = { signal, interrupt: interrupt.signal };
      return {
        outcome: settleFile(options, memory, stops).catch((error: unknown) => {
          signal.throwIfAborted();
          return failed(options.configPath, error);
        }),
        giveWayTo: (rendered) => {
          const ageMs = memory.now() - (memory.unchecked?.sinceMs ?? 0);
          const gives = ageMs < OVERDUE_MS && mayOvertake(rendered, memory, options);
          if (gives) interrupt.abort();
          return gives;
        },
      };
    },
    retryRejected: () => {
      memory.rejected = undefined;
    },
  };
}

function inMemoryOnly({ kind, message }: Failed): Failed {
  return {
    kind,
    message: `${message}; applied at runtime only, lost when HAProxy restarts`,
    inMemoryOnly: true,
  };
}

type Failed = Extract<ApplyOutcome, { kind: 'failed' }>;

function failed(path: string, error: unknown): Failed {
  const code = codeOf(error);
  // Only file operations may fail here. Anything without a code is a bug and must not pass for one.
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
  const { rejected } = memory;
  if (rejected !== undefined && isSameSet(rejected.rendered, rendered)) return rejected.outcome;
  memory.rejected = undefined;
  mustBeSet(rendered);
  const file = await findLiveFile(options.configPath);
  if (!memory.cleaned) {
    await removeLeftovers(file, Date.now());
    await removeOldSets(file);
    if (options.checksAfter === true)
      memory.unchecked = await uncheckedIn(file, rendered.mode, options.check);
  }
  memory.cleaned = true;
  if (await isStillUnchecked(file, rendered, memory)) return { kind: 'unchanged', isUnchecked: true };
  if (!mayOvertake(rendered, memory, options)) {
    const before = memory.unchecked?.rendered;
    const left = await settleSet(file, options, memory, { signal, interrupt: signal });
    const isAbout = before !== undefined && isSameSet(before, rendered) && left?.kind !== 'unchanged';
    if (left !== undefined && (isAbout || left.kind === 'failed')) return left;
  }
  const parts: Omit<Replacement, 'mayTrust'> = { file, rendered, options, memory, signal };
  const outcome = await replaceSet({ ...parts, mayTrust: true });
  const settled =
    outcome.kind === 'damaged'
      ? await replaceSet({ ...parts, mayTrust: false, back: outcome.back })
      : outcome;
  if (settled.kind === 'rejected') memory.rejected = { rendered, outcome: settled };
  return settled;
}

/** HAProxy runs this set, its file is in place and untouched, and `settle` has yet to validate it. */
async function isStillUnchecked(file: LiveFile, rendered: Rendered, memory: Memory): Promise<boolean> {
  const { unchecked, inPlace } = memory;
  if (!awaitsValidation(memory) || unchecked?.back === undefined || unchecked.rendered === undefined)
    return false;
  if (!isSameSet(unchecked.rendered, rendered)) return false;
  return (await readMainFile(file, inPlace))?.sha256 === unchecked.sha256;
}

/** The set in place is unchecked, and this one is a runtime update of it. */
function mayOvertake(rendered: Rendered, memory: Memory, { difference }: ApplierOptions): boolean {
  const { unchecked, inPlace } = memory;
  if (!awaitsValidation(memory) || unchecked?.back === undefined || inPlace === undefined) return false;
  if (difference === undefined) return false;
  return isKnownOther(inPlace, rendered) && difference(inPlace.rendered, rendered).kind !== 'reload';
}

async function settleFile(
  options: ApplierOptions,
  memory: Memory,
  stops: Stops,
): Promise<ApplyOutcome | undefined> {
  return await settleSet(await findLiveFile(options.configPath), options, memory, stops);
}

async function settleSet(
  file: LiveFile,
  options: ApplierOptions,
  memory: Memory,
  stops: Stops,
): Promise<ApplyOutcome | undefined> {
  const rendered = memory.unchecked?.rendered;
  const found = await settle(file, memory, stops, options.onReload);
  if (rendered === undefined) return found?.kind === 'damaged' ? undefined : found;
  if (found?.kind === 'damaged') {
    const { signal } = stops;
    const again = { file, rendered, options, memory, signal, mayTrust: false, back: found.back } as const;
    const outcome = await replaceSet(again);
    if (outcome.kind !== 'reloaded' || outcome.isUnchecked !== true) return outcome;
    const { isUnchecked: _, ...applied } = outcome;
    const settled = await settleSet(file, options, memory, stops);
    return settled?.kind === 'unchanged' ? applied : (settled ?? outcome);
  }
  if (found?.kind === 'rejected') memory.rejected = { rendered, outcome: found };
  return found;
}
