import { messageOf } from '../../engine/system/errors.ts';
import { type RevocationList, readRevocationList } from '../../haproxy/certificates/revocation-list.ts';
import type { ListPlaces } from '../configuration/fetched-lists.ts';

/** The largest ones in public have 10 MB. */
const MAX_LIST_BYTES = 16 * 1024 * 1024;
/** Of one place, to the end of its answer. */
const TIMEOUT_MS = 30_000;

export type Fetched =
  | { readonly kind: 'list'; readonly url: string; readonly list: RevocationList }
  | { readonly kind: 'failed'; readonly message: string };

/** From the first place that gives a list, over HTTP or HTTPS. Never rejects; the message of a failure has all places. */
export async function fetchList(places: ListPlaces, signal: AbortSignal): Promise<Fetched> {
  const problems: string[] = [];
  for (const url of places) {
    try {
      const reading = readRevocationList(await bytesAt(url, signal));
      if (reading.kind === 'list') return { kind: 'list', url, list: reading };
      problems.push(`${url}: ${reading.message}`);
    } catch (error) {
      problems.push(`${url}: ${reasonOf(error)}`);
    }
  }
  return { kind: 'failed', message: problems.join('; ') };
}

async function bytesAt(url: string, signal: AbortSignal): Promise<Buffer> {
  if (!/^https?:/i.test(url)) throw new Error('expected a place that is asked over HTTP or HTTPS');
  const timeout = AbortSignal.timeout(TIMEOUT_MS);
  const answer = await fetch(url, { signal: AbortSignal.any([signal, timeout]) });
  const parts: Uint8Array[] = [];
  let bytes = 0;
  if (!answer.ok) {
    await answer.body?.cancel();
    throw new Error(`HTTP ${answer.status}, expected 200`);
  }
  for await (const part of answer.body ?? []) {
    bytes += part.length;
    if (bytes > MAX_LIST_BYTES)
      throw new Error(`more than ${MAX_LIST_BYTES} bytes, which is the limit MAX_LIST_BYTES`);
    parts.push(part);
  }
  return Buffer.concat(parts);
}

/** `fetch` says "fetch failed", and why in its cause. */
function reasonOf(error: unknown): string {
  const cause = error instanceof Error ? error.cause : undefined;
  return cause === undefined ? messageOf(error) : messageOf(cause);
}
