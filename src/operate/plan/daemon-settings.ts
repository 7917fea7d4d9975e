import { readCommandLine, settingsTyped } from '../../cli/command-line.ts';
import type { NodeChange } from '../../cli/node-change.ts';
import type { SettingsFile } from '../../cli/settings-values.ts';
import { ConfigError } from '../../engine/system/errors.ts';
import type { Daemon } from './daemons.ts';

/** The settings that the installed daemons would run with, in their order. */
export type DaemonSettings = readonly unknown[];

/** With this settings file, or without one. Throws a ConfigError with every daemon's problems. */
export function settingsOfDaemons(
  daemons: readonly Daemon[],
  file: SettingsFile | undefined,
): DaemonSettings {
  const problems: string[] = [];
  const found = daemons.map(({ spec, argv, env }) => {
    try {
      return settingsTyped(spec, argv, env, () => file);
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      problems.push(...error.problems);
      return undefined;
    }
  });
  if (problems.length > 0) throw new ConfigError([...new Set(problems)]);
  return found;
}

/** A daemon by its command, with its settings by two files. */
export function daemonIn(
  daemons: readonly Daemon[],
  before: SettingsFile | undefined,
  after: SettingsFile | undefined,
): NodeChange['daemon'] {
  return (spec) => {
    const found = daemons.find((each) => each.spec.name === spec.name);
    if (found === undefined) return undefined;
    const { argv, env, at, locate } = found;
    const settingsBy = (file: SettingsFile | undefined) => settingsTyped(spec, argv, env, () => file);
    return { at, locate, before: settingsBy(before), after: settingsBy(after) };
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

/** The keys of one daemon's settings that changed. */
export function changedKeys({ spec, unused }: Daemon, before: unknown, after: unknown): readonly string[] {
  const [old, next] = [textsOf(before), textsOf(after)];
  const isUsed = (key: string): boolean => key !== 'settings' && !unused.includes(key);
  return Object.keys({ ...spec.positionals, ...spec.flags }).filter(
    (key) => isUsed(key) && old.get(key) !== next.get(key),
  );
}

function textsOf(settings: unknown): ReadonlyMap<string, string> {
  return new Map(Object.entries(settings ?? {}).map(([key, value]) => [key, JSON.stringify(value)]));
}
