import { readCommandLine, settingsTyped } from '../../cli/command-line.ts';
import type { CommandSpec, SettingsOf } from '../../cli/command-spec.ts';
import type { SettingsFile } from '../../cli/settings-values.ts';
import { ConfigError } from '../../engine/system/errors.ts';
import { daemonSpecs } from '../daemon-specs.ts';
import type { Daemon, DaemonName } from './daemons.ts';

/** The settings that each installed daemon would run with. */
export type DaemonSettings = {
  readonly [Name in DaemonName]?: SettingsOf<(typeof daemonSpecs)[Name]>;
};

/** With this settings file, or without one. Throws a ConfigError with every daemon's problems. */
export function settingsOfDaemons(
  daemons: readonly Daemon[],
  file: SettingsFile | undefined,
): DaemonSettings {
  const problems: string[] = [];
  const found = daemons.flatMap((daemon) => {
    try {
      return [[daemon.name, settingsOf(daemon, file)] as const];
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      problems.push(...error.problems);
      return [];
    }
  });
  if (problems.length > 0) throw new ConfigError([...new Set(problems)]);
  return Object.fromEntries(found);
}

function settingsOf({ name, argv, env }: Daemon, file: SettingsFile | undefined) {
  const spec: CommandSpec = daemonSpecs[name];
  return settingsTyped(spec, argv, env, () => file);
}

/** The settings file that this daemon was given; undefined if none, which means the default path. */
export function settingsPathOf({ name, argv, env }: Daemon): string | undefined {
  let path: string | undefined;
  const remember = (asked: string | undefined) => {
    path = asked;
    return undefined;
  };
  try {
    readCommandLine(daemonSpecs[name], argv, env, remember);
  } catch (error) {
    // Some arguments are only in the settings file.
    if (!(error instanceof ConfigError)) throw error;
  }
  return path;
}

/** Settings that a daemon accepts without using them, so that both pods can have the same flags. */
const UNUSED: Readonly<Partial<Record<DaemonName, readonly string[]>>> = { 'keepalived monitor': ['lbPort'] };

/** The keys of one daemon's settings that changed. */
export function changedKeys(
  name: DaemonName,
  before: DaemonSettings,
  after: DaemonSettings,
): readonly string[] {
  const [old, next] = [textsOf(before[name]), textsOf(after[name])];
  const isUsed = (key: string): boolean => key !== 'settings' && UNUSED[name]?.includes(key) !== true;
  const { positionals, flags } = daemonSpecs[name];
  return Object.keys({ ...positionals, ...flags }).filter(
    (key) => isUsed(key) && old.get(key) !== next.get(key),
  );
}

function textsOf(settings: object | undefined): ReadonlyMap<string, string> {
  return new Map(Object.entries(settings ?? {}).map(([key, value]) => [key, JSON.stringify(value)]));
}
