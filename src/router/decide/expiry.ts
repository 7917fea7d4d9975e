import type { AdmittedRoute } from './verdict.ts';

/** Renewing a certificate takes people some days. */
export const EXPIRES_SOON_MS = 14 * 86_400_000;

interface Expiry {
  /** Its key. */
  readonly route: string;
  readonly host: string;
  readonly validToMs: number;
}

/** When the certificates of routes expire, the first to expire first. */
export function expiries(admitted: readonly AdmittedRoute[]): readonly Expiry[] {
  return admitted
    .flatMap(({ key, host, tls: { certificate } }) =>
      certificate === undefined ? [] : { route: key, host, validToMs: certificate.validToMs },
    )
    .toSorted((a, b) => a.validToMs - b.validToMs);
}
