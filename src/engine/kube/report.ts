/** An event for the log: a first failure or a recovery, never a repeat. */
export interface SourceEvent {
  readonly event: string;
  readonly level?: 'debug' | 'info' | 'warn' | 'error';
  readonly [field: string]: unknown;
}

export type Report = (event: SourceEvent) => void;
