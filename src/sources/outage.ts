import type { Report } from './source.ts';

/** Tells the first failure of something and its recovery, and is silent about every repeat. */
export interface Outage {
  failed(message: string): void;
  succeeded(): void;
}

export function trackOutage(
  report: Report,
  names: { readonly failed: string; readonly recovered: string },
  facts: Readonly<Record<string, unknown>>,
): Outage {
  let isFailing = false;
  return {
    failed: (message) => {
      if (!isFailing) report({ event: names.failed, level: 'warn', ...facts, error: message });
      isFailing = true;
    },
    succeeded: () => {
      if (isFailing) report({ event: names.recovered, ...facts });
      isFailing = false;
    },
  };
}
