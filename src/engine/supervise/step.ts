export type RequestId = number;

/** Why a request, or a start without a request, failed. */
export interface Failure {
  /** `unchecked`: there is no verdict, because the check could not be made. */
  readonly stage: 'check' | 'unchecked' | 'start' | 'prove' | 'stop' | 'change';
  readonly message: string;
  readonly detail?: string;
  /** The program's reason for refusing a change. */
  readonly refused?: string;
  /** The configuration that runs instead; null if unknown. */
  readonly running?: string | null;
}

/** Actions of every supervisor, in addition to its program's. `Done` is the answer to a successful request. */
export type SharedAction<Done> =
  | { readonly kind: 'answer'; readonly requests: readonly RequestId[]; readonly result: Done | Failure }
  | {
      readonly kind: 'log';
      readonly level: 'info' | 'warn' | 'error';
      readonly event: string;
      readonly fields: object;
    }
  /** No supervised process is left. */
  | { readonly kind: 'finish' };

export function logged(level: 'info' | 'warn' | 'error', event: string, fields: object = {}) {
  return { kind: 'log', level, event, fields } as const;
}

export type Emit<Action> = (action: Action) => void;

export interface Step<State, Action> {
  readonly state: State;
  readonly actions: readonly Action[];
}

/** Runs the transition `decide` and collects the actions it emits, in order. An answer to no request is omitted. */
export function stepOf<State, Action extends { readonly kind: string }>(
  decide: (emit: Emit<Action>) => State,
): Step<State, Action> {
  const actions: Action[] = [];
  const state = decide((action) => {
    if (!('requests' in action && Array.isArray(action.requests) && action.requests.length === 0))
      actions.push(action);
  });
  return { state, actions };
}

interface FailedJob {
  readonly cause: string;
  readonly requests: readonly RequestId[];
}

/**
 * Answers the requests of a failed job and logs the failure as `event`. Does not log an automatic retry that fails like the last one: it would do so
 * every few seconds.
 */
export function reportFailure(
  event: string,
  { cause, requests }: FailedJob,
  { failure, last }: { readonly failure: Failure; readonly last: Failure | undefined },
  fields: object,
  emit: Emit<SharedAction<never>>,
): void {
  emit({ kind: 'answer', requests, result: failure });
  const repeated =
    requests.length === 0 && last?.message === failure.message && last.detail === failure.detail;
  if (!repeated) emit(logged('error', event, { cause, ...failure, ...fields }));
}
