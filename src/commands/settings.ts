import { readCommandLine } from '../cli/command-line.ts';
import { readSettingsFile } from '../cli/read-settings-file.ts';
import { settingsCommand, settingsCommandSettings } from '../cli/settings-command.ts';
import type { SettingsFile } from '../cli/settings-values.ts';
import { structuredWriter } from '../cli/structured-text.ts';

/** `hawser settings`: throws a ConfigError with every problem of the file. */
export async function run(argv: readonly string[], env: NodeJS.ProcessEnv): Promise<number> {
  const line = readCommandLine(settingsCommand, argv, env);
  if (line.kind === 'help') {
    process.stdout.write(line.text);
    return 0;
  }
  const { settings } = line.values;
  const json = settingsCommandSettings(line.values).json;
  const write = await structuredWriter(json);
  const file = readSettingsFile(typeof settings === 'string' ? settings : undefined);
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
