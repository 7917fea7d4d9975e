import { revisionIn } from '../engine/config/layout.ts';
import { MAX_CONFIGURATION_BYTES } from '../engine/config/limits.ts';
import { codeOf, messageOf } from '../engine/system/errors.ts';
import { readRegularFileSync } from '../engine/system/file/read-regular-file.ts';

export type Configuration =
  | { readonly kind: 'present'; readonly bytes: Buffer; readonly sha256: string; readonly revision: string }
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
    return { kind: 'present', bytes, ...revisionIn(bytes) };
  } catch (error) {
    return unusable(codeOf(error) === 'ENOENT' ? 'it does not exist' : messageOf(error));
  }
}
