import { createHash } from 'node:crypto';
import { codeOf, messageOf } from '../system/errors.ts';
import { writeFileAtomically } from '../system/file/atomic-write.ts';
import type { ApplyOutcome } from './apply-outcome.ts';
import {
  connectSupervisor,
  type ReloadOutcome,
  type Supervisor,
  type SupervisorOptions,
} from './ask-supervisor.ts';
import type { ConfigurationCheck } from './configuration-check.ts';
import { type ForeignFile, isOwnFile, keepForeignFile } from './foreign-file.ts';
import {
  discard,
  findLiveFile,
  keepModes,
  type LiveFile,
  readIfThere,
  removeLeftovers,
} from './live-file.ts';

/** The supervisor to ask, its control socket, and how long to wait for it. */
export interface ApplierOptions extends SupervisorOptions {
  readonly configPath: string;
  /** What HAProxy itself says about a file. */
  readonly check: ConfigurationCheck;
  /** A file that hawser did not write was kept beside its place, and is replaced. */
  readonly onForeign?: (foreign: ForeignFile) => void;
}

/** A configuration as it should lie there. */
export interface Rendered {
  readonly text: string;
  /** The template's mode, of which the file gets the permissions. */
  readonly mode: number;
}

export interface Applier {
  /**
   * Brings a configuration into service: checks it with the real HAProxy, replaces the file in one step, asks for a reload and
   * waits for its answer. The live file is at every moment a whole one, with the template's mode. Where the reload is
   * refused, the bytes of before come back. Rejects only when `signal` stops it; call it for one text at a time.
   */
  apply(rendered: Rendered, signal: AbortSignal): Promise<ApplyOutcome>;
  /**
   * A rejected text is answered with the same rejection, at no cost, until another text is applied or this is called:
   * a rejection may have had a passing reason (a port still taken), and the caller knows when it is time to look.
   */
  retryRejected(): void;
}

type Rejection = Extract<ApplyOutcome, { kind: 'rejected' }>;

/** What an applier remembers between calls. */
interface Memory {
  readonly supervisor: Supervisor;
  /** Hash of the text that is in the file and known to be served. */
  served: string | undefined;
  rejected: { readonly sha256: string; readonly outcome: Rejection } | undefined;
  /** Whether what a killed monitor left has been removed. */
  cleaned: boolean;
}

export function createApplier(options: ApplierOptions): Applier {
  const memory: Memory = {
    supervisor: connectSupervisor(options),
    served: undefined,
    rejected: undefined,
    cleaned: false,
  };
  return {
    apply: async ({ text, mode }, signal) => {
      try {
        return await applyText({ text, mode: mode & 0o777 }, options, memory, signal);
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
  const message = `Cannot replace configuration "${path}": ${messageOf(error)}, expected a writable directory`;
  return { kind: 'failed', message };
}

async function applyText(
  rendered: Rendered,
  options: ApplierOptions,
  memory: Memory,
  signal: AbortSignal,
): Promise<ApplyOutcome> {
  signal.throwIfAborted();
  const { text, mode } = rendered;
  const sha256 = createHash('sha256').update(text).digest('hex');
  if (memory.rejected?.sha256 === sha256) return memory.rejected.outcome;
  memory.rejected = undefined;
  const file = await findLiveFile(options.configPath);
  if (!memory.cleaned) await removeLeftovers(file, Date.now());
  memory.cleaned = true;
  const found = await readIfThere(file.path);
  const inPlace = found?.equals(Buffer.from(text)) === true;
  // A file that hawser did not write is not to come back where ours is refused.
  const before = isOwnFile(file.path) ? found : undefined;
  if (inPlace) await keepModes(file, mode);
  if (inPlace && (await isServed(sha256, memory, signal))) return { kind: 'unchanged' };

  const refusal = inPlace ? undefined : await checkAndReplace(file, rendered, options, signal);
  if (refusal !== undefined) return remember(memory, sha256, refusal);
  // From here on no text is known to be served until the supervisor confirms one.
  memory.served = undefined;
  const outcome = await memory.supervisor.reload(signal);
  if (outcome.kind === 'reloaded') memory.served = sha256;
  return remember(memory, sha256, await settle(file, { text, before, mode }, outcome));
}

/** A supervisor that started with this file needs no reload, so its status is asked first. */
async function isServed(sha256: string, memory: Memory, signal: AbortSignal): Promise<boolean> {
  if (memory.served === sha256) return true;
  if ((await memory.supervisor.servedSha256(signal)) !== sha256) return false;
  memory.served = sha256;
  return true;
}

function remember(memory: Memory, sha256: string, outcome: ApplyOutcome): ApplyOutcome {
  if (outcome.kind === 'rejected') memory.rejected = { sha256, outcome };
  return outcome;
}

/** Undefined where the live file now holds `text`. */
async function checkAndReplace(
  file: LiveFile,
  { text, mode }: Rendered,
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
    await writeFileAtomically(file.path, text, { mode });
    if (foreign !== undefined) options.onForeign?.(foreign);
    return undefined;
  } finally {
    await discard(file.candidate);
  }
}

/** Does to the files what the answer to a reload means for them. */
async function settle(
  file: LiveFile,
  { text, before, mode }: { text: string; before: Buffer | undefined; mode: number },
  outcome: ReloadOutcome,
): Promise<ApplyOutcome> {
  switch (outcome.kind) {
    case 'reloaded':
      // The original daemon says nothing, so nothing is known to be good. That the copy could not be written does not
      // make the reload undone: the older copy stays.
      if (outcome.acknowledged)
        await writeFileAtomically(file.lastGood, text, { mode }).catch(() => undefined);
      return outcome;
    case 'rejected':
      try {
        await restore(file, text, before, mode);
        return outcome;
      } catch (error) {
        const lost = `the file of before could not be put back (${messageOf(error)})`;
        return { ...outcome, detail: [outcome.detail, lost].join('\n').trim() };
      }
    case 'unreachable':
      return outcome;
  }
}

/**
 * Restores the text from before `text`. If that was `text` itself (an earlier run wrote it without asking the
 * supervisor) or nothing, it writes the last acknowledged text. Without one the file stays as it is, since a missing
 * file would help no client.
 */
async function restore(
  file: LiveFile,
  text: string,
  before: Buffer | undefined,
  mode: number,
): Promise<void> {
  const previous = before?.equals(Buffer.from(text)) === true ? undefined : before;
  const good = previous ?? (await readIfThere(file.lastGood));
  if (good !== undefined) await writeFileAtomically(file.path, good, { mode });
}
