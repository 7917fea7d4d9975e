import { closeSync, constants, existsSync, fstatSync, openSync, readFileSync } from 'node:fs';
import { ConfigError, messageOf } from '../engine/system/errors.ts';
import { parseSettingsFile } from './parse-settings-file.ts';
import type { SettingsKey } from './settings-keys.ts';
import { defaultSettingsPath, type SettingsReader } from './settings-values.ts';

/** Fifty times what all keys take. */
const MAX_BYTES = 256 * 1024;

/** Reads in this process; the supervisors use `readSettingsInChild`. `keys` are all that the file may have. */
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
  const unusable = (what: string, cause?: unknown) =>
    new ConfigError([`Cannot read settings file "${path}": ${what}, expected a YAML file`], { cause });
  const bytes = bytesOf(path, unusable);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (error) {
    throw unusable('it is not UTF-8', error);
  }
}

/** Never waits: a FIFO is no file to read. */
function bytesOf(path: string, unusable: (what: string, cause?: unknown) => ConfigError): Buffer {
  let file: number;
  try {
    file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (error) {
    throw unusable(messageOf(error), error);
  }
  try {
    const status = fstatSync(file);
    if (status.isDirectory()) throw unusable('it is a directory');
    if (!status.isFile()) throw unusable('it is no regular file');
    if (status.size > MAX_BYTES)
      throw unusable(`it has ${status.size} bytes (at most ${MAX_BYTES} are read)`);
    return readFileSync(file);
  } finally {
    closeSync(file);
  }
}
