import type { AdmittedRoute } from './verdict.ts';

/** Leaves people a few days to renew a certificate. */
export const EXPIRES_SOON_MS = 14 * 86_400_000;

interface Expiry {
  /** The route's key. */
  readonly route: string;
  readonly host: string;
  readonly validToMs: number;
}

/** When the routes' certificates expire, the earliest first. */
export function expiries(admitted: readonly AdmittedRoute[]): readonly Expiry[] {
  return admitted
    .flatMap(({ key, host, tls: { certificate } }) =>
      certificate === undefined ? [] : { route: key, host, validToMs: certificate.validToMs },
    )
    .toSorted((a, b) => a.validToMs - b.validToMs);
}
