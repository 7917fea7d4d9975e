import { existsSync, readFileSync, statSync } from 'node:fs';
import type { SettingsFile, SettingsReader } from '../../cli/settings-values.ts';
import type { HostFiles } from '../../engine/examine/host-files.ts';
import { ConfigError } from '../../engine/system/errors.ts';
import { layout } from '../install/layout.ts';
import { settingsPathOf } from './daemon-settings.ts';
import type { Daemon } from './daemons.ts';
import type { PlanSettings } from './plan-settings.ts';

/** A settings file as a daemon would read it. */
export interface ReadSettings {
  /** The path for messages, whatever it is for this process. */
  readonly path: string;
  readonly file: SettingsFile;
  readonly text: string;
  readonly writtenAtMs: number;
}

/**
 * The file that the daemons read when they start; undefined if none. Throws a ConfigError with every problem of the
 * file, and for a named file that is missing.
 */
export function presentSettings(
  { settings: asked, instance }: Pick<PlanSettings, 'settings' | 'instance'>,
  daemons: readonly Daemon[],
  files: HostFiles,
  readSettings: SettingsReader,
): ReadSettings | undefined {
  if (asked !== undefined) return readAs(asked, files.at(asked), readSettings);
  const [first] = daemons.flatMap((daemon) => {
    const path = settingsPathOf(daemon);
    return path === undefined ? [] : [{ path, at: daemon.at(path) }];
  });
  if (first !== undefined) return readAs(first.path, first.at, readSettings);
  if (instance !== undefined) return undefined;
  const at = daemons[0]?.at(layout.settings);
  return at !== undefined && existsSync(at) ? readAs(layout.settings, at, readSettings) : undefined;
}

/** `at` is the location of `path` for this process. Messages name `path`. */
export function readAs(path: string, at: string, readSettings: SettingsReader): ReadSettings {
  try {
    const file = readSettings(at);
    if (file === undefined) throw new ConfigError([`Cannot read settings file "${path}": expected one`]);
    return { path, file, text: readFileSync(at, 'utf8'), writtenAtMs: statSync(at).mtimeMs };
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    throw new ConfigError(
      error.problems.map((problem) => problem.replaceAll(at, path)),
      { cause: error },
    );
  }
}
