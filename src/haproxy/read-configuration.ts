import { createHash } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { MAX_CONFIGURATION_BYTES } from '../engine/apply/limits.ts';
import { codeOf, messageOf } from '../engine/system/errors.ts';
import { overLimit } from '../engine/system/limit.ts';

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
    const over = overLimit(stat.size, 'bytes', { MAX_CONFIGURATION_BYTES });
    if (over !== undefined) return unusable(`it has ${over}`);
    const bytes = readFileSync(path);
    return { kind: 'present', bytes, sha256: createHash('sha256').update(bytes).digest('hex') };
  } catch (error) {
    return unusable(codeOf(error) === 'ENOENT' ? 'it does not exist' : messageOf(error));
  }
}
