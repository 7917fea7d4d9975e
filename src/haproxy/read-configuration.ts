import { revisionIn } from '../engine/config/layout.ts';
import { MAX_CONFIGURATION_BYTES } from '../engine/config/limits.ts';
import { codeOf, messageOf } from '../engine/system/errors.ts';
import { readRegularFileSync } from '../engine/system/file/read-regular-file.ts';

export type Configuration =
  | { readonly kind: 'present'; readonly bytes: Buffer; readonly sha256: string; readonly revision: string }
  | { readonly kind: 'unusable'; readonly message: string };

/** Reads the file's current content, or returns why it cannot be a configuration: it is missing, empty, not a regular file, or too large. */
export function readConfiguration(path: string): Configuration {
  const unusable = (found: string): Configuration => ({
    kind: 'unusable',
    message: `Cannot use configuration "${path}": ${found}, expected a configuration file`,
  });
  try {
    const { bytes } = readRegularFileSync(path, { MAX_CONFIGURATION_BYTES });
    if (bytes.length === 0) return unusable('it is empty');
    return { kind: 'present', bytes, ...revisionIn(bytes) };
  } catch (error) {
    return unusable(codeOf(error) === 'ENOENT' ? 'it does not exist' : messageOf(error));
  }
}
