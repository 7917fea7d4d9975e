import { existsSync } from 'node:fs';
import { ConfigError, messageOf } from '../engine/system/errors.ts';
import { readRegularFileSync } from '../engine/system/file/read-regular-file.ts';
import { parseSettingsFile } from './parse-settings-file.ts';
import type { SettingsKey } from './settings-keys.ts';
import { defaultSettingsPath, type SettingsReader } from './settings-values.ts';

/** Fifty times what all keys take. */
const MAX_SETTINGS_BYTES = 256 * 1024;

/** Reads in this process; supervisors use `readSettingsInChild`. `keys` are all allowed keys. */
export function settingsFileReader(keys: readonly SettingsKey[]): SettingsReader {
  return (path) => {
    const wanted = path ?? defaultSettingsPath;
    if (path === undefined && !existsSync(wanted)) return undefined;
    const parsed = parseSettingsFile(textOf(wanted), wanted, keys);
    if (parsed.kind === 'problems') throw new ConfigError(parsed.problems);
    return { path: wanted, values: parsed.values };
  };
}

function textOf(path: string): string {
  const unusable = (what: string, cause: unknown) =>
    new ConfigError([`Cannot read settings file "${path}": ${what}, expected a YAML file`], { cause });
  const bytes = bytesOf(path, unusable);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (error) {
    throw unusable('it is not UTF-8', error);
  }
}

function bytesOf(path: string, unusable: (what: string, cause: unknown) => ConfigError): Buffer {
  try {
    return readRegularFileSync(path, { MAX_SETTINGS_BYTES }).bytes;
  } catch (error) {
    throw unusable(messageOf(error), error);
  }
}
