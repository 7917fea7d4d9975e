import { type CommandLine, helpTyped, readCommandLine, type ValuesTyped } from './command-line.ts';
import type { CommandSpec } from './command-spec.ts';
import { forgivingReader, type SettingsFileReading } from './forgiving-reader.ts';
import type { SettingsReader } from './settings-values.ts';

export interface CommandContext {
  readonly env: NodeJS.ProcessEnv;
  /** What was typed, before it became settings. */
  readonly line: ValuesTyped;
  readonly readSettings: SettingsReader;
  /** The result of reading the file, for a command with its own `settingsReader`. */
  readonly settingsFile: SettingsFileReading;
}

/** A file of src/commands. */
export interface CommandModule<Settings = unknown> {
  readonly spec: CommandSpec<Settings>;
  /** Resolves with the process's exit code. A method: a list holds modules of different settings. */
  run(settings: Settings, context: CommandContext): Promise<number>;
  /** Reads its settings file if the usual reader would cost too much memory. */
  readonly readSettings?: SettingsReader;
  /** For a command that works with a broken settings file: its `settingsFile` has the problems. Other commands end with them. */
  readonly settingsReader?: (
    typed: Readonly<Record<string, unknown>>,
    usual: SettingsReader,
  ) => SettingsReader;
}

/**
 * Prints the command's help if requested. Throws a ConfigError for an invalid command line or settings file. The usual reader, and with it YAML
 * and the flags of all daemons, is loaded only for a command that reads the file.
 */
export async function runCommand<Settings>(
  { spec, run, settingsReader, ...module }: CommandModule<Settings>,
  argv: readonly string[],
  env: NodeJS.ProcessEnv,
  usualReader: () => Promise<SettingsReader>,
): Promise<number> {
  const help = helpTyped(spec, argv);
  if (help !== undefined) {
    process.stdout.write(help);
    return 0;
  }
  const noReader: SettingsReader = () => undefined;
  const readSettings = module.readSettings ?? (spec.section === undefined ? noReader : await usualReader());
  const read = (reader: SettingsReader): CommandLine => readCommandLine(spec, argv, env, reader);
  const typed = settingsReader === undefined ? undefined : read(noReader);
  const reader = typed?.kind === 'values' ? settingsReader?.(typed.values, readSettings) : undefined;
  const forgiving = reader && forgivingReader(reader);
  const line = read(forgiving?.read ?? readSettings);
  if (line.kind === 'help') return 0;
  const settingsFile = forgiving?.look() ?? { kind: 'none' };
  return await run(spec.settings(line.values, env), { env, line, readSettings, settingsFile });
}
