import { createHash } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { codeOf, messageOf } from '../engine/system/errors.ts';

/** Far above any real configuration; what is bigger was not written for HAProxy. */
const MAX_BYTES = 16 * 1024 * 1024;

export type Configuration =
  | { readonly kind: 'present'; readonly bytes: Buffer; readonly sha256: string }
  | { readonly kind: 'unusable'; readonly message: string };

/** The current content of the file, or why it cannot be a configuration: missing, empty, not a file, too large. */
export function readConfiguration(path: string): Configuration {
  const unusable = (found: string): Configuration => ({
    kind: 'unusable',
    message: `Cannot use configuration "${path}": ${found}, expected a file that holds one`,
  });
  try {
    const stat = statSync(path);
    if (!stat.isFile()) return unusable('it is no regular file');
    if (stat.size === 0) return unusable('it is empty');
    if (stat.size > MAX_BYTES) return unusable(`it has ${stat.size} bytes (at most ${MAX_BYTES} are read)`);
    const bytes = readFileSync(path);
    return { kind: 'present', bytes, sha256: createHash('sha256').update(bytes).digest('hex') };
  } catch (error) {
    return unusable(codeOf(error) === 'ENOENT' ? 'it does not exist' : messageOf(error));
  }
}
