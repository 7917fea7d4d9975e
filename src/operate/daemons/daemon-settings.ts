import { readCommandLine, settingsTyped } from '../../cli/command-line.ts';
import type { CommandSpec, SettingsFile } from '../../cli/command-spec.ts';
import { ConfigError } from '../../engine/system/errors.ts';
import type { Daemon } from './daemons.ts';

/** The settings of a daemon by its command, with this settings file. Throws a ConfigError. */
export function settingsOfDaemon(daemons: readonly Daemon[], file: SettingsFile | undefined) {
  return <Settings>(spec: CommandSpec<Settings>): Settings | undefined => {
    const found = daemons.find((each) => each.spec.name === spec.name);
    return found && settingsTyped(spec, found.argv, found.env, () => file);
  };
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
