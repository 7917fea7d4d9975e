import type { Restart } from './restart.ts';
import type { SharedStatus } from './status-schema.ts';
import type { Failure } from './step.ts';

interface SharedState {
  readonly queued: readonly unknown[];
  readonly restart: Restart;
  readonly lastFailure: (Failure & { readonly at: number }) | undefined;
}

export function describeShared(
  { queued, restart, lastFailure }: SharedState,
  job: { readonly cause: string; readonly stage: string } | undefined,
  now: number,
): Omit<SharedStatus, 'trouble'> {
  return {
    reload: job === undefined ? null : { cause: job.cause, stage: job.stage, waiting: queued.length },
    restart:
      restart.at === undefined
        ? null
        : { failures: restart.failures, inMs: Math.max(0, Math.round(restart.at - now)) },
    lastFailure: lastFailure === undefined ? null : withAge(lastFailure, now),
  };
}

export function withAge<T extends { readonly at: number }>(
  { at, ...rest }: T,
  now: number,
): Omit<T, 'at'> & { readonly agoMs: number } {
  return { ...rest, agoMs: Math.round(now - at) };
}

export function withTrouble<Status>(
  status: Status,
  trouble: string | undefined,
): Status & { readonly trouble?: string } {
  return { ...status, ...(trouble !== undefined && { trouble }) };
}
