import { existsSync, statSync } from 'node:fs';
import { readCommandLine, settingsTyped } from '../../cli/command-line.ts';
import type { SettingsFile, SettingsReader } from '../../cli/command-spec.ts';
import { ConfigError } from '../../engine/system/errors.ts';
import { layout } from '../install/layout.ts';
import type { Daemon } from './daemons.ts';

/** The settings of a daemon, with this settings file. Throws a ConfigError. */
export function settingsOfDaemon({ spec, argv, env }: Daemon, file: SettingsFile | undefined): unknown {
  return settingsTyped(spec, argv, env, () => file);
}

/** The settings file that this daemon was given; undefined if none, which means the default path. */
export function settingsPathOf({ spec, argv, env, folder }: Daemon): string | undefined {
  let path: string | undefined;
  const remember = (asked: string | undefined) => {
    path = asked;
    return undefined;
  };
  try {
    readCommandLine(spec, argv, env, remember, folder);
  } catch (error) {
    // Some arguments are only in the settings file.
    if (!(error instanceof ConfigError)) throw error;
  }
  return path;
}

/** A settings file as a daemon would read it, with the daemon's path. */
interface ReadSettings {
  readonly file: SettingsFile;
  readonly writtenAtMs: number;
}

/**
 * The file that the daemons read when they start; undefined if none. Throws a ConfigError with every problem of the
 * file, and for a named file that is missing.
 */
export function presentSettings(
  daemons: readonly Daemon[],
  readSettings: SettingsReader,
): ReadSettings | undefined {
  for (const daemon of daemons) {
    const path = settingsPathOf(daemon);
    if (path !== undefined) return readAs(path, daemon.at(path), readSettings);
  }
  const at = daemons[0]?.at(layout.settings);
  return at !== undefined && existsSync(at) ? readAs(layout.settings, at, readSettings) : undefined;
}

/** The precision of a process's start time: `btime` counts in seconds. */
const CLOCK_SLACK_MS = 2_000;

/** The daemons that started before the settings file was written, by their names: they run with older settings. */
export function startedBefore(file: ReadSettings, daemons: readonly Daemon[]): readonly string[] {
  return daemons.flatMap(({ spec, startedAtMs }) =>
    startedAtMs !== undefined && startedAtMs + CLOCK_SLACK_MS < file.writtenAtMs ? [spec.name] : [],
  );
}

/** `at` is the location of `path` for this process. Messages name `path`. */
export function readAs(path: string, at: string, readSettings: SettingsReader): ReadSettings {
  try {
    const file = readSettings(at);
    if (file === undefined) throw new ConfigError([`Cannot read settings file "${path}": expected one`]);
    return { file: { ...file, path }, writtenAtMs: statSync(at).mtimeMs };
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    throw new ConfigError(
      error.problems.map((problem) => problem.replaceAll(at, path)),
      { cause: error },
    );
  }
}
