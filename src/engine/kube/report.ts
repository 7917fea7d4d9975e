/** An event for the log: a first failure or a recovery, never a repeat. */
export interface SourceEvent {
  readonly event: string;
  readonly level?: 'debug' | 'info' | 'warn' | 'error';
  readonly [field: string]: unknown;
}

export type Report = (event: SourceEvent) => void;

/** A failing log must not end what it is told about. */
export function neverThrowing(report: Report): Report {
  return (event) => {
    try {
      report(event);
    } catch {
      // There is nowhere else to say so.
    }
  };
}
