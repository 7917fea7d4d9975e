/** Where this room tells what happened: a log, without knowing which. */
export type Tell = (event: {
  readonly event: string;
  readonly level?: 'info' | 'warn' | 'error';
  readonly [field: string]: unknown;
}) => void;
