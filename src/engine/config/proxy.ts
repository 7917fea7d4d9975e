import * as z from 'zod/mini';
import type { Answer } from '../control/answer.ts';
import { MAX_LINE_BYTES } from '../control/line-splitter.ts';
import { type ControlRequest, type RequestOutcome, request } from '../control/request.ts';
import type { Rejection, Reloaded, UpdateStats } from './outcome.ts';
import type { Revision } from './set.ts';

export interface SupervisorOptions {
  readonly socketPath: string;
  /**
   * Timeout of `reload`, which is answered once the new generation serves or has failed. Default 30 s: the supervisor gives a new generation 10 s to
   * prove itself, and one other reload may be queued first.
   */
  readonly reloadTimeoutMs?: number;
  /** Base timeout of `apply`. Each change adds 50 ms, up to one minute in total. Default 10 s. After a timeout the change is made by a reload. */
  readonly updateTimeoutMs?: number;
  /** Timeout of requests that are answered at once. Default 2 s. */
  readonly statusTimeoutMs?: number;
}

/** The supervisor did not answer. The request may have been carried out. */
interface Silent {
  readonly is: 'silent';
  readonly message: string;
}

export type ReloadResult =
  | { readonly is: 'done'; readonly outcome: Omit<Reloaded, 'kind'> }
  /** The previous program still serves. */
  | { readonly is: 'refused'; readonly rejection: Rejection }
  /** The supervisor could not check the configuration. The previous program still serves. */
  | { readonly is: 'unchecked'; readonly message: string }
  | Silent;

export type UpdateResult =
  | { readonly is: 'done'; readonly stats: UpdateStats }
  /** The program refused the update for `reason`. A part of it may have been applied. */
  | { readonly is: 'refused'; readonly reason?: string }
  /** Nothing was applied: the running revision is not `from`. `running` is undefined if it is unknown. */
  | { readonly is: 'conflict'; readonly running: Revision | undefined }
  | Silent;

interface UpdateRequest {
  readonly from: Revision;
  readonly to: Revision;
  readonly changes: readonly object[];
}

/** A program behind its supervisor's control socket. Every function rejects only if `signal` aborts. */
export interface ProxyClient {
  /** Whether the program can be changed at runtime. */
  readonly makesChanges: boolean;
  /** Changes the program from one revision to another, if the first one runs. Never reloads. */
  readonly apply: (update: UpdateRequest, signal: AbortSignal) => Promise<UpdateResult>;
  readonly reload: (signal: AbortSignal) => Promise<ReloadResult>;
  /** The running revision; undefined if unknown. */
  readonly running: (signal: AbortSignal) => Promise<Revision | undefined>;
  /** Reports that the file of this running revision passed validation, so the supervisor may keep a copy to start with. */
  readonly keepAsGood: (revision: Revision, signal: AbortSignal) => Promise<void>;
}

/** Time for one change on a starved machine. A server takes two commands; a certificate takes longest. */
const EACH_CHANGE_MS = 50;
const LONGEST_UPDATE_MS = 60_000;

export function connectProxy(options: SupervisorOptions): ProxyClient {
  const { socketPath, reloadTimeoutMs = 30_000, updateTimeoutMs = 10_000, statusTimeoutMs = 2_000 } = options;
  const ask = async (line: ControlRequest, timeoutMs: number, signal: AbortSignal) => {
    const outcome = await request(socketPath, line, { timeoutMs, signal });
    signal.throwIfAborted();
    return outcome;
  };
  return {
    makesChanges: true,
    apply: async (update, signal) => {
      const line = `apply ${JSON.stringify(update)}` as const;
      if (Buffer.byteLength(line) > MAX_LINE_BYTES) return { is: 'refused' };
      const neededMs = updateTimeoutMs + EACH_CHANGE_MS * update.changes.length;
      const outcome = await ask(line, Math.min(neededMs, LONGEST_UPDATE_MS), signal);
      return outcome.kind === 'unreachable'
        ? silent(socketPath, outcome.message)
        : updateResult(outcome.answer);
    },
    reload: async (signal) => {
      const outcome = await ask('reload', reloadTimeoutMs, signal);
      return outcome.kind === 'unreachable'
        ? silent(socketPath, outcome.message)
        : reloadResult(outcome, socketPath);
    },
    running: async (signal) => {
      const outcome = await ask('status', statusTimeoutMs, signal);
      if (outcome.kind === 'unreachable') return undefined;
      const { current } = statusSchema.safeParse(outcome.answer).data ?? {};
      // A supervisor without runtime changes has no revisions. Null: after a refused change no file describes what runs.
      return current?.revision === undefined ? current?.configSha256 : (current.revision ?? undefined);
    },
    keepAsGood: async (revision, signal) => {
      const line = JSON.stringify({ from: revision, to: revision, good: true, changes: [] });
      await ask(`apply ${line}`, statusTimeoutMs, signal);
    },
  };
}

const statusSchema = z.looseObject({
  current: z.nullish(
    z.looseObject({ configSha256: z.optional(z.string()), revision: z.nullish(z.string()) }),
  ),
});

function updateResult(answer: Answer): UpdateResult {
  if (answer.ok) return { is: 'done', stats: statsOf(answer) };
  const { refused, running } = answer;
  if (running === null || typeof running === 'string')
    return { is: 'conflict', running: running ?? undefined };
  return { is: 'refused', ...(typeof refused === 'string' && { reason: refused }) };
}

function statsOf(answer: Extract<Answer, { ok: true }>): UpdateStats {
  return {
    ...(answer.tookMs !== undefined && { tookMs: answer.tookMs }),
    ...(typeof answer['commands'] === 'number' && { commands: answer['commands'] }),
    ...(answer.generation !== undefined && { generation: answer.generation }),
  };
}

function reloadResult(
  { answer }: Extract<RequestOutcome, { kind: 'answered' }>,
  socketPath: string,
): ReloadResult {
  // The supervisor is stopping or speaks another protocol version. That is no verdict on the text; its successor may accept it.
  if (!answer.ok && (answer.stage === 'stop' || answer.stage === 'protocol'))
    return silent(socketPath, answer.message);
  if (answer.ok) return { is: 'done', outcome: statsOf(answer) };
  if (answer.stage === 'unchecked')
    return { is: 'unchecked', message: `No verdict from the supervisor: ${answer.message}` };
  // The supervisor validates the file too. A failed validation is a verdict on the text, not on the start.
  const by = answer.stage === 'check' ? 'check' : 'reload';
  const { message, detail = '' } = answer;
  return { is: 'refused', rejection: { kind: 'rejected', by, message, detail } };
}

function silent(socketPath: string, what: string): Silent {
  const message = `Cannot reach the supervisor on "${socketPath}": ${what}, expected an answer`;
  return { is: 'silent', message };
}
