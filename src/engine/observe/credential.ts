import { createHash, timingSafeEqual } from 'node:crypto';
import { readRegularFile } from '../system/file/read-regular-file.ts';

/** A user's name, a password, a token of a service account. */
const MAX_CREDENTIAL_BYTES = 64 * 1024;

/** The trimmed text of a file with a credential. Rejects if it cannot be read; '' if it is empty. */
export async function readCredential(
  path: string,
): Promise<{ readonly text: string; readonly mode: number }> {
  const { bytes, mode } = await readRegularFile(path, { MAX_CREDENTIAL_BYTES });
  return { text: bytes.toString('utf8').trim(), mode };
}

/** Takes the same time wherever they differ, and whatever their lengths. */
export function isSameCredential(given: string, expected: string | undefined): boolean {
  if (expected === undefined) return false;
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(given), digest(expected));
}

/** Scheme in lower case, and credentials, of an `Authorization` header; both '' if it has another form. */
export function parseAuthorization(header: string): {
  readonly scheme: string;
  readonly credentials: string;
} {
  const [, scheme = '', credentials = ''] = /^(\w+) +(\S+)$/.exec(header) ?? [];
  return { scheme: scheme.toLowerCase(), credentials };
}
