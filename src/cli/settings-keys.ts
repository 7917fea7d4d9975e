import type { CommandSpec, Flag } from './command-spec.ts';
import { flagName, variableName } from './flag-name.ts';
import type { Section } from './settings-values.ts';

/** `top`, or a section. */
export type Place = string;

/** One key that the settings file may have. */
export interface SettingsKey extends Pick<Flag, 'help' | 'field' | 'default'> {
  readonly place: Place;
  readonly key: string;
  /** `--check-interval`, or `KUBECONFIG`: what takes precedence over it. */
  readonly typed: string;
  /** `HAWSER_ADVERT_INTERVAL`, or an established name; an argument has none. */
  readonly variable?: string;
}

/** Every key once, in the order of the daemons' flags. A new flag of a daemon becomes a key. */
export function settingsKeys(daemons: readonly CommandSpec[]): readonly SettingsKey[] {
  const all = daemons.flatMap(({ section, positionals, flags }): readonly SettingsKey[] => [
    ...Object.entries(positionals).flatMap(([key, declared]) =>
      keyIn(section, declared, { key, typed: key.toUpperCase() }),
    ),
    ...Object.entries(flags).flatMap(([key, flag]) =>
      keyIn(section, flag, { key, typed: flagName(key), variable: flag.variable ?? variableName(key) }),
    ),
  ]);
  return all.filter(
    ({ place, key }, index) => index === all.findIndex((each) => each.place === place && each.key === key),
  );
}

/** The allowed sections of a file with these keys. */
export function sectionsOf(keys: readonly SettingsKey[]): readonly Section[] {
  return [...new Set(keys.flatMap(({ place }) => (place === 'top' ? [] : place)))];
}

function keyIn(
  section: Section | undefined,
  { inFile, ...declared }: Pick<Flag, 'help' | 'field' | 'default' | 'inFile'>,
  names: Pick<SettingsKey, 'key' | 'typed' | 'variable'>,
): readonly SettingsKey[] {
  if (inFile === 'never' || section === undefined) return [];
  return [{ ...declared, ...names, place: inFile ?? section }];
}
