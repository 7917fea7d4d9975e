import type { AdmittedRoute } from './verdict.ts';

/** Who has to renew a certificate needs some days. */
export const EXPIRES_SOON_MS = 14 * 86_400_000;

interface Expiry {
  /** Its key. */
  readonly route: string;
  readonly host: string;
  readonly validToMs: number;
}

/** When the certificates of routes end, the first one first. */
export function expiries(admitted: readonly AdmittedRoute[]): readonly Expiry[] {
  return admitted
    .flatMap(({ key, host, tls: { certificate } }) =>
      certificate === undefined ? [] : { route: key, host, validToMs: certificate.validToMs },
    )
    .toSorted((a, b) => a.validToMs - b.validToMs);
}
