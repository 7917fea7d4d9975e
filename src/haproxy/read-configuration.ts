import { createHash } from 'node:crypto';
import { MAX_CONFIGURATION_BYTES } from '../engine/apply/limits.ts';
import { codeOf, messageOf } from '../engine/system/errors.ts';
import { readRegularFileSync } from '../engine/system/file/read-regular-file.ts';

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
    const { bytes } = readRegularFileSync(path, { MAX_CONFIGURATION_BYTES });
    if (bytes.length === 0) return unusable('it is empty');
    return { kind: 'present', bytes, sha256: createHash('sha256').update(bytes).digest('hex') };
  } catch (error) {
    return unusable(codeOf(error) === 'ENOENT' ? 'it does not exist' : messageOf(error));
  }
}
