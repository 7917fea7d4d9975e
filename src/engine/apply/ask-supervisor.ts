import { stat } from 'node:fs/promises';
import * as z from 'zod/mini';
import type { Answer } from '../control/answer.ts';
import { MAX_LINE_BYTES } from '../control/line-splitter.ts';
import { type ControlRequest, type RequestOutcome, request } from '../control/request.ts';
import { type ApplyOutcome, REFUSED } from './apply-outcome.ts';

export interface SupervisorOptions {
  readonly socketPath: string;
  /**
   * For `reload`, which is answered when the new generation serves or has failed. Default 30 s: the supervisor gives a
   * new generation 10 s to prove itself, and may have one reload before ours.
   */
  readonly reloadTimeoutMs?: number;
  /**
   * For a change that is told before its file is written, with 50 ms more for each of its parts and a minute at most. Default 10 s: a supervisor that
   * is busy for longer gets the file and a reload, and both waits together are to end before the monitor's loop counts as hung.
   */
  readonly tellTimeoutMs?: number;
  /** For what a supervisor answers at once. Default 2 s. */
  readonly statusTimeoutMs?: number;
}

/** The outcome of a reload, without its consequence for the file. */
export type ReloadOutcome = Extract<ApplyOutcome, { kind: 'reloaded' | 'rejected' | 'unreachable' }>;

/** What a change took that was made without a reload. */
export type Told = Pick<Extract<ApplyOutcome, { kind: 'reloaded' }>, 'tookMs' | 'commands'>;

type TellOutcome =
  | { readonly kind: 'told'; readonly told: Told }
  /** With the reason where HAProxy would not make it. */
  | { readonly kind: 'not-told'; readonly reason?: string };

/** The program behind a control socket. A reload that was not answered may have been done or not: ask again. */
export interface Supervisor {
  /**
   * Asks for a change of what runs, and for a reload where the supervisor knows no such changes, as an older one.
   * Rejects only when `signal` stops it.
   */
  readonly change: (change: object, signal: AbortSignal) => Promise<ReloadOutcome>;
  /**
   * Asks for a change that no file says yet: nothing is reloaded for it. It may have been made all the same where no answer came. A supervisor that does not know `ahead` reloads the file
   * of before where it cannot make the change, which counts as not told. Rejects only when `signal` stops it.
   */
  readonly tell: (
    change: { readonly changes: readonly object[] },
    signal: AbortSignal,
  ) => Promise<TellOutcome>;
  /**
   * Says that HAProxy accepted the file with this hash, of which what runs was told before: it may be kept as the last good one. Rejects
   * only when `signal` stops it; where nobody answers, the older copy stays.
   */
  readonly keep: (sha256: string, signal: AbortSignal) => Promise<void>;
  /** Whether it knows such changes. Rejects only when `signal` stops it. */
  readonly makesChanges: (signal: AbortSignal) => Promise<boolean>;
  /** Rejects only when `signal` stops it. */
  readonly reload: (signal: AbortSignal) => Promise<ReloadOutcome>;
  /** The hash of what the current generation serves, undefined where that cannot be learned. */
  readonly servedSha256: (signal: AbortSignal) => Promise<string | undefined>;
}

/** What HAProxy needs for one change on a starved machine: a server takes two commands, and a certificate takes longest. */
const EACH_CHANGE_MS = 50;
const LONGEST_TELL_MS = 60_000;

export function connectSupervisor(options: SupervisorOptions): Supervisor {
  const { socketPath, reloadTimeoutMs = 30_000, tellTimeoutMs = 10_000, statusTimeoutMs = 2_000 } = options;
  /** The socket file behind which a supervisor answered what it knows, and whether it makes changes. */
  let asked: { readonly of: string | undefined; readonly changes: boolean } | undefined;

  const ask = async (line: ControlRequest, timeoutMs: number, signal: AbortSignal) => {
    const outcome = await request(socketPath, line, { timeoutMs, signal });
    signal.throwIfAborted();
    return outcome;
  };
  const askStatus = async (signal: AbortSignal) => {
    const of = await identityOf(socketPath);
    const outcome = await ask('status', statusTimeoutMs, signal);
    if (outcome.kind === 'unreachable') return undefined;
    const status = statusSchema.safeParse(outcome.answer).data;
    asked = { of, changes: status?.changes !== undefined };
    return status;
  };
  const makesChanges = async (signal: AbortSignal): Promise<boolean> => {
    const of = await identityOf(socketPath);
    if (asked?.of !== of) await askStatus(signal);
    return asked?.of === of && asked?.changes === true;
  };
  const reloadBy = async (line: ControlRequest, signal: AbortSignal): Promise<ReloadOutcome> => {
    const outcome = await ask(line, reloadTimeoutMs, signal);
    if (outcome.kind === 'unreachable') return unreachable(socketPath, outcome.message);
    // It is of another version, and knows what every version knows.
    if (line !== 'reload' && isUnread(outcome)) return await reloadBy('reload', signal);
    return reloadOutcomeOf(outcome, socketPath);
  };
  return {
    reload: (signal) => reloadBy('reload', signal),
    change: async (change, signal) => {
      const order = orderOf(change);
      const isKnown = order !== undefined && (await makesChanges(signal));
      return await reloadBy(isKnown ? order : 'reload', signal);
    },
    tell: async (change, signal) => {
      const order = orderOf(change);
      if (order === undefined) return { kind: 'not-told' };
      const neededMs = tellTimeoutMs + EACH_CHANGE_MS * change.changes.length;
      const outcome = await ask(order, Math.min(neededMs, LONGEST_TELL_MS), signal);
      return outcome.kind === 'answered' ? tellOutcomeOf(outcome.answer) : { kind: 'not-told' };
    },
    keep: async (sha256, signal) => {
      if (!(await makesChanges(signal))) return;
      const order = { from: sha256, to: sha256, checked: true, changes: [] };
      await ask(`apply ${JSON.stringify(order)}`, statusTimeoutMs, signal);
    },
    makesChanges,
    servedSha256: async (signal) => (await askStatus(signal))?.current?.configSha256,
  };
}

const statusSchema = z.looseObject({
  current: z.nullish(z.looseObject({ configSha256: z.string() })),
  /** A supervisor that makes changes counts them. */
  changes: z.optional(z.looseObject({})),
});

/** Undefined where it is longer than a line may be. */
function orderOf(change: object): `apply ${string}` | undefined {
  const order = `apply ${JSON.stringify(change)}` as const;
  return Buffer.byteLength(order) <= MAX_LINE_BYTES ? order : undefined;
}

function tellOutcomeOf(answer: Answer): TellOutcome {
  if (answer.ok && answer['atRunTime'] === true) return { kind: 'told', told: toldOf(answer) };
  const reason = answer['refused'];
  return { kind: 'not-told', ...(typeof reason === 'string' && { reason }) };
}

function toldOf(answer: Extract<Answer, { ok: true }>): Told {
  return {
    ...(answer.tookMs !== undefined && { tookMs: answer.tookMs }),
    ...(typeof answer['commands'] === 'number' && { commands: answer['commands'] }),
  };
}

async function identityOf(socketPath: string): Promise<string | undefined> {
  try {
    const { dev, ino, ctimeNs } = await stat(socketPath, { bigint: true });
    return `${dev} ${ino} ${ctimeNs}`;
  } catch {
    return undefined;
  }
}

function reloadOutcomeOf(
  { answer }: Extract<RequestOutcome, { kind: 'answered' }>,
  socketPath: string,
): ReloadOutcome {
  // It is going away, or is of another version: nothing was said about the text, and the next one may take it.
  if (!answer.ok && (answer.stage === 'stop' || answer.stage === 'protocol'))
    return unreachable(socketPath, answer.message);
  if (!answer.ok) {
    // The supervisor checks the file too, and says so: that is HAProxy's verdict on the text, not on the start.
    const by = answer.stage === 'check' ? 'check' : 'reload';
    return { kind: 'rejected', by, message: answer.message, detail: answer.detail ?? '' };
  }
  return {
    kind: 'reloaded',
    ...(answer.generation === undefined ? {} : { generation: answer.generation }),
    ...toldOf(answer),
    ...(answer['atRunTime'] === true && { atRunTime: true }),
    ...(typeof answer['refused'] === 'string' && { what: REFUSED, reason: answer['refused'] }),
  };
}

function isUnread({ answer }: Extract<RequestOutcome, { kind: 'answered' }>): boolean {
  return !answer.ok && answer.stage === 'protocol';
}

function unreachable(socketPath: string, what: string): ReloadOutcome {
  const message = `Cannot ask for a reload on "${socketPath}": ${what}, expected an answer of the supervisor`;
  return { kind: 'unreachable', message };
}
