import type { SettingsFile, SettingsOf } from '../cli/command-spec.ts';
import { printAs } from '../cli/run-command.ts';
import { settingsCommand } from '../cli/settings-command.ts';
import { readSettingsFile } from './pods.ts';

export const spec = settingsCommand;

/** Prints the values of the settings file. Throws a ConfigError with all problems of the file. */
export async function run({ settings, json }: SettingsOf<typeof spec>): Promise<number> {
  const file = readSettingsFile(settings);
  await printAs(json, file?.values ?? null, () => (file ? linesOf(file) : ['there is no settings file']));
  return 0;
}

function linesOf({ path, values }: SettingsFile): readonly string[] {
  return Object.entries(values).flatMap(([place, entries]) =>
    Object.entries(entries).map(([key, { value, line }]) => {
      const name = place === 'top' ? key : `${place}.${key}`;
      return `${name.padEnd(32)} ${String(value).padEnd(24)} ${path}:${line}`;
    }),
  );
}
