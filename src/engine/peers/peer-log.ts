/** The log of these modules, which do not know its implementation. */
export type PeerLog = (event: {
  readonly event: string;
  readonly level?: 'info' | 'warn' | 'error';
  readonly [field: string]: unknown;
}) => void;
