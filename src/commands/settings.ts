import type { SettingsFile, SettingsOf } from '../cli/command-spec.ts';
import { structuredWriter } from '../cli/run-command.ts';
import { settingsCommand } from '../cli/settings-command.ts';
import { readSettingsFile } from './pods.ts';

export const spec = settingsCommand;

/** `hawser settings`: throws a ConfigError with every problem of the file. */
export async function run({ settings, json }: SettingsOf<typeof spec>): Promise<number> {
  const write = await structuredWriter(json);
  const file = readSettingsFile(settings);
  if (file === undefined) process.stdout.write(json ? 'null\n' : 'there is no settings file\n');
  else process.stdout.write(json ? `${write(file.values)}\n` : linesOf(file));
  return 0;
}

function linesOf({ path, values }: SettingsFile): string {
  return Object.entries(values)
    .flatMap(([place, entries]) =>
      Object.entries(entries).map(
        ([key, { value, line }]) =>
          `${`${place === 'top' ? '' : `${place}.`}${key}`.padEnd(32)} ${String(value).padEnd(24)} ${path}:${line}\n`,
      ),
    )
    .join('');
}
