import { codeOf, messageOf } from '../system/errors.ts';
import { monotonicMs } from '../system/time/monotonic-clock.ts';
import type { ApplyOutcome } from './apply-outcome.ts';
import { connectSupervisor, type Supervisor, type SupervisorOptions } from './ask-supervisor.ts';
import { isToldAhead, type Stops, settle, uncheckedIn } from './check-after.ts';
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
  /** What is asked instead of the supervisor behind the control socket. */
  readonly supervisor?: Supervisor;
  /** Monotonic milliseconds. Left out: those of this machine. */
  readonly now?: () => number;
}

export interface Applier {
  /**
   * Brings a configuration into service: checks it with the real HAProxy, replaces the file in one step, asks for a reload and
   * waits for its answer. The live file is at every moment a whole one, with the template's mode, and so are the files that
   * it names. Where the reload is refused, the bytes of before come back. Rejects only when `signal` stops it; call it for
   * one configuration at a time, and not before a check that was begun has ended.
   */
  apply(rendered: Rendered, signal: AbortSignal): Promise<ApplyOutcome>;
  /**
   * Begins to check the file that HAProxy was told of, if there is one. Until then an `apply` that HAProxy can be told of, or of the same set, goes
   * ahead without the check. Any other `apply` makes the check first, as it does where the check could not be made, or nothing is known of HAProxy.
   */
  settle(signal: AbortSignal): Settling | undefined;
  /**
   * A rejected one is answered with the same rejection, at no cost, until another one is applied or this is called:
   * a rejection may have had a passing reason (a port still taken), and the caller knows when it is time to look.
   */
  retryRejected(): void;
}

/** A check that is under way. */
interface Settling {
  /**
   * `unchanged` where the file is accepted and served; undefined where the check was ended before its verdict, another file lies there, or nothing is
   * known of what is served. A set that was found changed by hand is written anew: then what became of that. Rejects only when `signal` stops it.
   */
  readonly outcome: Promise<ApplyOutcome | undefined>;
  /**
   * Ends the check where HAProxy can be told of this one, and the file was not unchecked for long: whether it may be applied once `outcome` has resolved.
   * Everything else waits for the verdict, so that what HAProxy reads never follows a file that it would refuse.
   */
  readonly giveWayTo: (rendered: Rendered) => boolean;
}

/** A check that begins when the file has been unchecked for this long runs to its end: changes that keep coming do not prevent it. */
const OVERDUE_MS = 5_000;

type Rejection = Extract<ApplyOutcome, { kind: 'rejected' }>;

/** What an applier remembers between calls. */
interface Memory extends Placing {
  rejected: { readonly rendered: Rendered; readonly outcome: Rejection } | undefined;
  /** Whether what a killed monitor left has been removed. */
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
    told: undefined,
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
        const found = failed(options.configPath, error);
        return memory.told !== undefined && isSameSet(memory.told.rendered, rendered)
          ? butTold(found)
          : found;
      }
    },
    settle: (signal) => {
      if (!isToldAhead(memory)) return undefined;
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

function butTold({ kind, message }: Failed): Failed {
  return { kind, message: `${message}; what runs has it, until it is started anew`, isTold: true };
}

type Failed = Extract<ApplyOutcome, { kind: 'failed' }>;

function failed(path: string, error: unknown): Failed {
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

/** HAProxy has this set already, its file is in place and untouched, and `settle` will check it. */
async function isStillUnchecked(file: LiveFile, rendered: Rendered, memory: Memory): Promise<boolean> {
  const { unchecked, inPlace } = memory;
  if (!isToldAhead(memory) || unchecked?.back === undefined || unchecked.rendered === undefined) return false;
  if (!isSameSet(unchecked.rendered, rendered)) return false;
  return (await readMainFile(file, inPlace))?.sha256 === unchecked.sha256;
}

/** HAProxy can be told of it, as it was of the one in place, which is unchecked. */
function mayOvertake(rendered: Rendered, memory: Memory, { difference }: ApplierOptions): boolean {
  const { unchecked, inPlace } = memory;
  if (!isToldAhead(memory) || unchecked?.back === undefined || inPlace === undefined) return false;
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
    const anew = { file, rendered, options, memory, signal, mayTrust: false, back: found.back } as const;
    const outcome = await replaceSet(anew);
    if (outcome.kind !== 'reloaded' || outcome.isUnchecked !== true) return outcome;
    const { isUnchecked: _, ...told } = outcome;
    const settled = await settleSet(file, options, memory, stops);
    return settled?.kind === 'unchanged' ? told : (settled ?? outcome);
  }
  if (found?.kind === 'rejected') memory.rejected = { rendered, outcome: found };
  return found;
}
