import { ConfigError, messageOf } from '../engine/system/errors.ts';
import type { SettingsFile, SettingsReader } from './settings-values.ts';

/** The outcome of reading the settings file. A broken file is a finding; it does not prevent the other checks. */
export type SettingsFileReading =
  | { readonly kind: 'none' }
  | { readonly kind: 'read'; readonly path: string; readonly file: SettingsFile }
  | { readonly kind: 'broken'; readonly problems: readonly string[] };

/** Reads the settings file if it is valid, and records its problems otherwise. */
export function forgivingReader(read: SettingsReader): {
  readonly read: SettingsReader;
  readonly look: () => SettingsFileReading;
} {
  let look: SettingsFileReading = { kind: 'none' };
  return {
    look: () => look,
    read: (path) => {
      try {
        const file = read(path);
        if (file !== undefined) look = { kind: 'read', path: file.path, file };
        return file;
      } catch (error) {
        const problems = error instanceof ConfigError ? error.problems : [messageOf(error)];
        look = { kind: 'broken', problems };
        return undefined;
      }
    },
  };
}
