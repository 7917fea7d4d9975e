/** One event: a name in kebab-case, and its facts as fields, never a sentence with numbers inside. */
export interface LogEvent {
  readonly event: string;
  readonly level?: 'debug' | 'info' | 'warn' | 'error';
  readonly [field: string]: unknown;
}

export type Log = (event: LogEvent) => void;
