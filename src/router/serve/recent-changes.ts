import type { ApplyOutcome } from '../../engine/config/outcome.ts';
import { messageIn } from '../../engine/monitor/last-change.ts';
import { firstError } from './find-refused.ts';
import type { RouterObserver } from './router-observer.ts';
import { MAX_SHOWN, type RouterStatus } from './router-status.ts';

type Changes = RouterStatus['changes'];
type Result = Changes['last'][number]['result'];

interface Recent extends Omit<Changes['last'][number], 'agoMs'> {
  readonly atMs: number;
}

/** Counts the outcomes of configurations, and keeps the most recent ones. */
export function createRecentChanges(nowMs: () => number): {
  readonly observer: RouterObserver;
  readonly view: () => Changes;
} {
  const counts = { reloads: 0, withoutReload: 0, failed: 0 };
  let last: readonly Recent[] = [];
  return {
    observer: {
      onOutcome: (outcome, tookMs, cause) => {
        const result = resultOf(outcome);
        if (result === undefined) return;
        if (result === 'reloaded') counts.reloads += 1;
        else if (result === 'changed') counts.withoutReload += 1;
        else counts.failed += 1;
        const message = messageOf(outcome);
        const next = { cause, result, ...(message !== undefined && { message }), tookMs, atMs: nowMs() };
        // A configuration that cannot be served is retried and would fill the list.
        const before = isRepeat(last[0], next) ? last.slice(1) : last;
        last = [next, ...before].slice(0, MAX_SHOWN);
      },
    },
    view: () => ({
      ...counts,
      last: last.map(({ atMs, tookMs, ...each }) => ({
        ...each,
        tookMs: Math.round(tookMs),
        agoMs: Math.round(nowMs() - atMs),
      })),
    }),
  };
}

function isRepeat(before: Recent | undefined, { result, message }: Recent): boolean {
  return message !== undefined && before?.message === message && before.result === result;
}

function resultOf(outcome: ApplyOutcome): Result | undefined {
  if (outcome.kind === 'unchanged' || outcome.kind === 'superseded') return undefined;
  return outcome.kind === 'reloaded' && outcome.atRunTime ? 'changed' : outcome.kind;
}

/** Why the configuration failed, preferably HAProxy's own error, or why it needed a reload. */
function messageOf(outcome: ApplyOutcome): string | undefined {
  if (outcome.kind === 'rejected') return firstError(outcome.detail) || outcome.message;
  return outcome.kind === 'reloaded' ? outcome.reason : messageIn(outcome);
}
