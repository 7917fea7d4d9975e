import type { Log } from '../system/log.ts';
import { monotonicMs } from '../system/time/monotonic-clock.ts';

/** Reports the first failure, the first failure of each other kind, and the recovery, but no repeats. */
export interface Outage {
  failed(message: string, about?: About): void;
  succeeded(): void;
}

interface About {
  readonly kind: string;
  readonly remedy?: string | undefined;
  /** Monotonic. A failure that started before the last success is outdated. */
  readonly beganAtMs?: number;
}

/** The outage of an API that does not answer. One for all resources, because each of them would report the same outage. */
export function trackApi(report: Log): Outage {
  return trackOutage(report, { failed: 'api-unavailable', recovered: 'api-recovered' }, {});
}

export function trackOutage(
  report: Log,
  names: { readonly failed: string; readonly recovered: string },
  facts: Readonly<Record<string, unknown>>,
): Outage {
  let failing: string | undefined;
  let succeededAtMs = Number.NEGATIVE_INFINITY;
  return {
    failed: (message, { kind, remedy, beganAtMs = Number.POSITIVE_INFINITY } = { kind: '' }) => {
      if (beganAtMs < succeededAtMs) return;
      if (failing !== kind)
        report({ event: names.failed, level: 'warn', ...facts, error: message, ...(remedy && { remedy }) });
      failing = kind;
    },
    succeeded: () => {
      if (failing !== undefined) report({ event: names.recovered, ...facts });
      failing = undefined;
      succeededAtMs = monotonicMs();
    },
  };
}
