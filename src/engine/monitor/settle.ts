interface SettleRules<T> {
  readonly same: (a: T, b: T) => boolean;
  /** A value is settled after this long without a change. */
  readonly quietMs: number;
  /** A value that keeps changing is settled this long after its first change. */
  readonly longestMs: number;
}

/** A value and its pending change. All times are milliseconds of one monotonic clock. */
export interface SettleState<T> {
  readonly rules: SettleRules<T>;
  /** The served value; undefined until one was applied. */
  readonly applied: T | undefined;
  readonly pending: Pending<T> | undefined;
}

/** The latest value, if it differs from the applied one. */
interface Pending<T> {
  readonly value: T;
  /** When it became the latest value. */
  readonly sinceMs: number;
  /** Start of the current series of changes, in which no value lasted for `quietMs`. */
  readonly changingSinceMs: number;
}

type SettleDecision<T> =
  | { readonly kind: 'nothing-to-do' }
  | { readonly kind: 'wait'; readonly recheckInMs: number }
  | { readonly kind: 'settled'; readonly value: T };

export function startSettling<T>(rules: SettleRules<T>, applied?: T): SettleState<T> {
  return { rules, applied, pending: undefined };
}

/** Records an observed value. If it equals the applied value, the change is cancelled. If it equals the pending value, the wait continues. */
export function settle<T>(state: SettleState<T>, value: T, nowMs: number): SettleState<T> {
  const { rules, applied, pending } = state;
  if (applied !== undefined && rules.same(applied, value)) return { ...state, pending: undefined };
  if (pending !== undefined && rules.same(pending.value, value)) return state;
  const isChanging = pending !== undefined && nowMs - pending.sinceMs < rules.quietMs;
  return {
    ...state,
    pending: { value, sinceMs: nowMs, changingSinceMs: isChanging ? pending.changingSinceMs : nowMs },
  };
}

/**
 * What to do now. A rebooting node changes its object several times within a second; without the wait, each change would cost a reload. A clock that
 * jumped back extends the wait by at most `quietMs`.
 */
export function settleDecision<T>({ rules, pending }: SettleState<T>, nowMs: number): SettleDecision<T> {
  if (pending === undefined) return { kind: 'nothing-to-do' };
  const { quietMs, longestMs } = rules;
  const atMs = Math.min(pending.sinceMs + quietMs, pending.changingSinceMs + longestMs);
  return atMs <= nowMs
    ? { kind: 'settled', value: pending.value }
    : { kind: 'wait', recheckInMs: Math.min(atMs - nowMs, quietMs) };
}

/** Records that `value` is served. A newer pending change stays pending and starts a new series. */
export function markApplied<T>(state: SettleState<T>, value: T): SettleState<T> {
  const { rules, pending } = state;
  const isDone = pending === undefined || rules.same(pending.value, value);
  return {
    rules,
    applied: value,
    pending: isDone ? undefined : { ...pending, changingSinceMs: pending.sinceMs },
  };
}
