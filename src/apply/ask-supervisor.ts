import * as z from 'zod/mini';
import type { ApplyOutcome } from '../model/apply-outcome.ts';
import { type RequestOutcome, request } from '../protocol/request.ts';

export interface Supervisor {
  readonly socketPath: string;
  /** For `reload`, which is answered when the new generation serves or has failed. */
  readonly reloadTimeoutMs: number;
  readonly statusTimeoutMs: number;
}

/** What a reload came to, without what it means for the file. */
export type ReloadOutcome = Extract<ApplyOutcome, { kind: 'reloaded' | 'rejected' | 'unreachable' }>;

export async function askForReload(supervisor: Supervisor, signal: AbortSignal): Promise<ReloadOutcome> {
  const { socketPath, reloadTimeoutMs: timeoutMs } = supervisor;
  const outcome = await request(socketPath, 'reload', { timeoutMs, signal });
  signal.throwIfAborted();
  switch (outcome.kind) {
    case 'unacknowledged':
      return { kind: 'reloaded', acknowledged: false };
    case 'unreachable':
      return unreachable(socketPath, outcome.message);
    case 'answered':
      return reloadOutcomeOf(outcome, socketPath);
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
    acknowledged: true,
    ...(answer.generation === undefined ? {} : { generation: answer.generation }),
    ...(answer.tookMs === undefined ? {} : { tookMs: answer.tookMs }),
  };
}

function unreachable(socketPath: string, what: string): ReloadOutcome {
  const message = `Cannot ask for a reload on "${socketPath}": ${what}, expected an answer of the supervisor`;
  return { kind: 'unreachable', message };
}

const statusSchema = z.looseObject({ current: z.looseObject({ configSha256: z.string() }) });

/** The hash of what the supervisor's current generation serves, undefined where nobody can say. */
export async function servedSha256(supervisor: Supervisor, signal: AbortSignal): Promise<string | undefined> {
  const { socketPath, statusTimeoutMs: timeoutMs } = supervisor;
  const outcome = await request(socketPath, 'status', { timeoutMs, signal });
  signal.throwIfAborted();
  if (outcome.kind !== 'answered') return undefined;
  const status = statusSchema.safeParse(outcome.answer);
  return status.success ? status.data.current.configSha256 : undefined;
}
