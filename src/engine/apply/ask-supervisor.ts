import { stat } from 'node:fs/promises';
import * as z from 'zod/mini';
import type { Answer } from '../control/answer.ts';
import { MAX_LINE_BYTES } from '../control/line-splitter.ts';
import { type ControlRequest, type RequestOutcome, request } from '../control/request.ts';
import { type ApplyOutcome, REFUSED } from './apply-outcome.ts';

export interface SupervisorOptions {
  readonly socketPath: string;
  /**
   * Timeout of `reload`, which is answered when the new generation serves or has failed. Default 30 s: the supervisor gives a new generation 10 s
   * to prove itself, and one reload may be queued ahead of ours.
   */
  readonly reloadTimeoutMs?: number;
  /**
   * Timeout of a runtime update ahead of its file, plus 50 ms for each change, one minute at most. Default 10 s: a supervisor that is busy for
   * longer gets the file and a reload. Both waits together must end before the monitor's loop is considered hung.
   */
  readonly updateTimeoutMs?: number;
  /** Timeout of requests that are answered at once. Default 2 s. */
  readonly statusTimeoutMs?: number;
}

/** The outcome of a reload, before the files are updated for it. */
export type ReloadOutcome = Extract<ApplyOutcome, { kind: 'reloaded' | 'rejected' | 'unreachable' }>;

/** Duration and number of commands of a runtime update. */
export type UpdateStats = Pick<Extract<ApplyOutcome, { kind: 'reloaded' }>, 'tookMs' | 'commands'>;

type UpdateOutcome =
  | { readonly kind: 'updated'; readonly stats: UpdateStats }
  /** `reason`: why HAProxy refused it. */
  | { readonly kind: 'not-updated'; readonly reason?: string };

/** The supervisor behind a control socket. A reload without an answer may or may not have happened: ask again. */
export interface Supervisor {
  /** Requests a runtime update, or a reload if the supervisor is too old to make them. Rejects only when `signal` aborts. */
  readonly change: (change: object, signal: AbortSignal) => Promise<ReloadOutcome>;
  /**
   * Requests a runtime update before its file is written; it never reloads for it. Without an answer the update may have been made all the same.
   * A supervisor that does not know `ahead` reloads the previous file if it cannot make the change; the outcome is then `not-updated`. Rejects only
   * when `signal` aborts.
   */
  readonly updateAhead: (
    change: { readonly changes: readonly object[] },
    signal: AbortSignal,
  ) => Promise<UpdateOutcome>;
  /**
   * Reports that the file with this hash, already applied at runtime, passed validation: the supervisor may keep it as the last good one. Rejects
   * only when `signal` aborts; without an answer the older copy stays.
   */
  readonly keep: (sha256: string, signal: AbortSignal) => Promise<void>;
  /** Whether it makes runtime updates. Rejects only when `signal` aborts. */
  readonly makesChanges: (signal: AbortSignal) => Promise<boolean>;
  readonly reload: (signal: AbortSignal) => Promise<ReloadOutcome>;
  /** Hash of the file that the current generation serves; undefined if unknown. Rejects only when `signal` aborts. */
  readonly servedSha256: (signal: AbortSignal) => Promise<string | undefined>;
}

/** Time for one change on a starved machine: a server takes two commands, and a certificate takes longest. */
const EACH_CHANGE_MS = 50;
const LONGEST_UPDATE_MS = 60_000;

export function connectSupervisor(options: SupervisorOptions): Supervisor {
  const { socketPath, reloadTimeoutMs = 30_000, updateTimeoutMs = 10_000, statusTimeoutMs = 2_000 } = options;
  /** Cached per socket file: whether that supervisor makes runtime updates. */
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
    // Another version: every version knows a plain `reload`.
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
    updateAhead: async (change, signal) => {
      const order = orderOf(change);
      if (order === undefined) return { kind: 'not-updated' };
      const neededMs = updateTimeoutMs + EACH_CHANGE_MS * change.changes.length;
      const outcome = await ask(order, Math.min(neededMs, LONGEST_UPDATE_MS), signal);
      return outcome.kind === 'answered' ? updateOutcomeOf(outcome.answer) : { kind: 'not-updated' };
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
  /** Present if the supervisor makes runtime updates. */
  changes: z.optional(z.looseObject({})),
});

/** Undefined if it exceeds the line limit. */
function orderOf(change: object): `apply ${string}` | undefined {
  const order = `apply ${JSON.stringify(change)}` as const;
  return Buffer.byteLength(order) <= MAX_LINE_BYTES ? order : undefined;
}

function updateOutcomeOf(answer: Answer): UpdateOutcome {
  if (answer.ok && answer['atRunTime'] === true) return { kind: 'updated', stats: statsOf(answer) };
  const reason = answer['refused'];
  return { kind: 'not-updated', ...(typeof reason === 'string' && { reason }) };
}

function statsOf(answer: Extract<Answer, { ok: true }>): UpdateStats {
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
  // It is stopping, or is another version. That says nothing about the text; its successor may accept it.
  if (!answer.ok && (answer.stage === 'stop' || answer.stage === 'protocol'))
    return unreachable(socketPath, answer.message);
  if (!answer.ok) {
    // The supervisor validates the file too: that is HAProxy's verdict on the text, not on the start.
    const by = answer.stage === 'check' ? 'check' : 'reload';
    return { kind: 'rejected', by, message: answer.message, detail: answer.detail ?? '' };
  }
  return {
    kind: 'reloaded',
    ...(answer.generation === undefined ? {} : { generation: answer.generation }),
    ...statsOf(answer),
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
