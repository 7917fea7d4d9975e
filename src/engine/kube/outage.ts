import type { Report } from './report.ts';

/** Reports the first failure, the first of each other kind, and the recovery. Repeats are not reported. */
export interface Outage {
  failed(message: string, about?: { readonly kind: string; readonly remedy: string | undefined }): void;
  succeeded(): void;
}

export function trackOutage(
  report: Report,
  names: { readonly failed: string; readonly recovered: string },
  facts: Readonly<Record<string, unknown>>,
): Outage {
  let failing: string | undefined;
  return {
    failed: (message, { kind, remedy } = { kind: '', remedy: undefined }) => {
      if (failing !== kind)
        report({ event: names.failed, level: 'warn', ...facts, error: message, ...(remedy && { remedy }) });
      failing = kind;
    },
    succeeded: () => {
      if (failing !== undefined) report({ event: names.recovered, ...facts });
      failing = undefined;
    },
  };
}
