import { createHash, timingSafeEqual } from 'node:crypto';
import { readRegularFile } from '../system/file/read-regular-file.ts';

/** Enough for a user's name, a password or a service account's token. */
const MAX_CREDENTIAL_BYTES = 64 * 1024;

/** Reads a credential from a file. Returns its trimmed text, which may be empty, and the file's mode. Rejects if the file cannot be read. */
export async function readCredential(
  path: string,
): Promise<{ readonly text: string; readonly mode: number }> {
  const { bytes, mode } = await readRegularFile(path, { MAX_CREDENTIAL_BYTES });
  return { text: bytes.toString('utf8').trim(), mode };
}

/** Compares credentials in constant time, whatever their lengths. */
export function isSameCredential(given: string, expected: string | undefined): boolean {
  if (expected === undefined) return false;
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(given), digest(expected));
}

/** The scheme in lower case and the credentials of an `Authorization` header; both empty if the header is invalid. */
export function parseAuthorization(header: string): {
  readonly scheme: string;
  readonly credentials: string;
} {
  const [, scheme = '', credentials = ''] = /^(\w+) +(\S+)$/.exec(header) ?? [];
  return { scheme: scheme.toLowerCase(), credentials };
}
