import { codeOf, messageOf } from '../../engine/system/errors.ts';
import type { Crl, CrlReading } from '../../haproxy/certificates/crl.ts';

/** A hundred thousand revoked certificates. A longer one would hold the router up while it is read. */
const MAX_CRL_BYTES = 4 * 1024 * 1024;
/** A server may have any certificate, and its names are part of what is wrong with it. */
const MOST_OF_A_REASON = 300;
/** Of one place, to the end of its answer. */
const TIMEOUT_MS = 10_000;

export type Fetched =
  | { readonly kind: 'crl'; readonly url: string; readonly crl: Crl }
  | { readonly kind: 'failed'; readonly message: string };

/**
 * From the first place that gives a CRL which `read` takes, over HTTP or HTTPS. Never rejects; the message of a failure has all places. Redirects are
 * followed.
 */
export async function fetchCrl(
  places: readonly string[],
  read: (bytes: Buffer) => CrlReading,
  signal: AbortSignal,
): Promise<Fetched> {
  const problems: string[] = [];
  for (const url of places) {
    try {
      const reading = read(await bytesAt(url, signal));
      if (reading.kind === 'crl') return { kind: 'crl', url, crl: reading.crl };
      problems.push(`${url}: ${reading.message}`);
    } catch (error) {
      problems.push(`${url}: ${reasonOf(error)}`);
    }
    if (signal.aborted) break;
  }
  return { kind: 'failed', message: problems.join('; ') };
}

async function bytesAt(url: string, signal: AbortSignal): Promise<Buffer> {
  if (!/^https?:/i.test(url)) throw new Error('expected a place that is asked over HTTP or HTTPS');
  const timeout = AbortSignal.timeout(TIMEOUT_MS);
  const answer = await fetch(url, { signal: AbortSignal.any([signal, timeout]) });
  if (!answer.ok) {
    await answer.body?.cancel();
    throw new Error(`HTTP ${answer.status}, expected 200`);
  }
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const part of answer.body ?? []) {
    bytes += part.length;
    if (bytes > MAX_CRL_BYTES)
      throw new Error(`more than ${MAX_CRL_BYTES} bytes, which is the limit MAX_CRL_BYTES`);
    parts.push(part);
  }
  return Buffer.concat(parts);
}

/** `fetch` says "fetch failed", and why in its cause; one of several addresses has a code and no message. */
function reasonOf(error: unknown): string {
  const cause = (error instanceof Error ? error.cause : undefined) ?? error;
  return (messageOf(cause) || (codeOf(cause) ?? 'it cannot be asked')).slice(0, MOST_OF_A_REASON);
}
