/**
 * The part of a configuration that can be changed at runtime. A controller derives it from its model, or from the file if that is small
 * (`describe-configuration.ts`).
 */
export interface Description {
  /** By section, `backend masters`: its text without the described servers. Equal only if HAProxy treats it equally. */
  readonly sections: ReadonlyMap<string, string>;
  /** By `backend/name`. */
  readonly servers: ReadonlyMap<string, ServerDescription>;
  /** Backends that have undescribed servers too: such a server is not necessarily foreign. */
  readonly openBackends: ReadonlySet<string>;
}

export interface ServerDescription {
  readonly address: string;
  readonly port: number;
  readonly weight: number;
  /** Its other options as HAProxy reads them, those of `default-server` first. */
  readonly options: string;
  /** Its checks can be resumed. Undefined: they run, if it has any. */
  readonly healthChecks?: 'paused';
  /** HAProxy derives the cookies of servers without their own from it. */
  readonly cookieKey?: string;
}

/** Suffix of a server line whose checks are paused by a state file: HAProxy's configuration has no keyword for that. */
export const CHECKS_OFF = ' # checks off';

export function backendOf(server: string): string {
  return server.slice(0, server.indexOf('/'));
}
