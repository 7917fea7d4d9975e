/** Where a server says whether it can serve. */
export interface HealthUrl {
  readonly secure: boolean;
  /** An address, without brackets. */
  readonly host: string;
  readonly port: number;
  /** With its query. */
  readonly path: string;
}

/** What the same server on another node would be asked. */
export function atHost(url: HealthUrl, host: string): HealthUrl {
  return { ...url, host };
}
