/**
 * A configuration as far as it can be changed while HAProxy runs. A controller makes it of its model, or of the file where that is
 * small (`describe-configuration.ts`).
 */
export interface Description {
  /** By section, `backend masters`: all of it that is no described server. The same only where HAProxy does the same with it. */
  readonly sections: ReadonlyMap<string, string>;
  /** By `backend/name`. */
  readonly servers: ReadonlyMap<string, ServerDescription>;
  /** Backends that have other servers as well: one of theirs that is not described need not be a stranger. */
  readonly openBackends: ReadonlySet<string>;
}

export interface ServerDescription {
  readonly address: string;
  readonly port: number;
  readonly weight: number;
  /** Its other options as HAProxy reads them, those of `default-server` first. */
  readonly options: string;
  /** Its checks are off, and can be turned on. */
  readonly isUnchecked?: true;
  /** Of which HAProxy makes the cookies of servers that have none of their own. */
  readonly cookieKey?: string;
}

/** Ends the line of a server that begins with its checks off, by a file of states: HAProxy's configuration has no word for that. */
export const CHECKS_OFF = ' # checks off';

export function backendOf(server: string): string {
  return server.slice(0, server.indexOf('/'));
}
