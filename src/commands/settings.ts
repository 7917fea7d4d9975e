import { readCommandLine } from '../config/command-line.ts';
import { readSettingsFile } from '../config/read-settings-file.ts';
import { settingsCommand } from '../config/settings-command.ts';
import type { SettingsFile } from '../config/settings-values.ts';

/** `hawser settings`: throws a ConfigError with every problem of the file. */
export async function run(argv: readonly string[], env: NodeJS.ProcessEnv): Promise<number> {
  const line = readCommandLine(settingsCommand, argv, env);
  if (line.kind === 'help') {
    process.stdout.write(line.text);
    return 0;
  }
  const { settings, json } = line.values;
  const file = readSettingsFile(typeof settings === 'string' ? settings : undefined);
  if (file === undefined) process.stdout.write(json === true ? 'null\n' : 'there is no settings file\n');
  else process.stdout.write(json === true ? `${JSON.stringify(file.values)}\n` : linesOf(file));
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
