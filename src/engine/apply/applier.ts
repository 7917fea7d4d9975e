import { codeOf, messageOf } from '../system/errors.ts';
import { monotonicMs } from '../system/time/monotonic-clock.ts';
import type { ApplyOutcome } from './apply-outcome.ts';
import { connectSupervisor, type SupervisorOptions } from './ask-supervisor.ts';
import { checkLeft, uncheckedIn } from './check-after.ts';
import { isSameSet, mustBeSet, type Rendered } from './file-set.ts';
import { createKnownFiles } from './known-files.ts';
import { findLiveFile, removeLeftovers } from './live-file.ts';
import { removeOldSets } from './old-sets.ts';
import { type Placing, type Replacement, type ReplaceOptions, replaceSet } from './replace-set.ts';
import { createSpareSet } from './spare-set.ts';

/** The supervisor to ask, its control socket, and how long to wait for it. */
export interface ApplierOptions extends SupervisorOptions, ReplaceOptions {
  readonly configPath: string;
  /** Monotonic milliseconds. Left out: those of this machine. */
  readonly now?: () => number;
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
interface Memory extends Placing {
  rejected: { readonly rendered: Rendered; readonly outcome: Rejection } | undefined;
  /** Whether what a killed monitor left has been removed. */
  cleaned: boolean;
}

export function createApplier(options: ApplierOptions): Applier {
  const memory: Memory = {
    supervisor: connectSupervisor(options),
    known: createKnownFiles(),
    spare: createSpareSet(),
    now: options.now ?? monotonicMs,
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
  const { rejected } = memory;
  if (rejected !== undefined && isSameSet(rejected.rendered, rendered)) return rejected.outcome;
  memory.rejected = undefined;
  mustBeSet(rendered);
  const file = await findLiveFile(options.configPath);
  if (!memory.cleaned) {
    await removeLeftovers(file, Date.now());
    await removeOldSets(file);
    if (options.checksAfter === true) memory.unchecked = await uncheckedIn(file);
  }
  memory.cleaned = true;
  const unknown = await checkLeft(file, rendered.mode, options.check, memory, signal);
  if (unknown !== undefined) return unknown;
  const parts: Omit<Replacement, 'mayTrust'> = { file, rendered, options, memory, signal };
  const outcome = await replaceSet({ ...parts, mayTrust: true });
  const settled =
    outcome.kind === 'damaged'
      ? await replaceSet({ ...parts, mayTrust: false, back: outcome.back })
      : outcome;
  if (settled.kind === 'rejected') memory.rejected = { rendered, outcome: settled };
  return settled;
}
