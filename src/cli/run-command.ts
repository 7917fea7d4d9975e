import { ConfigError, messageOf } from '../engine/system/errors.ts';
import { type CommandLine, helpTyped, readCommandLine } from './command-line.ts';
import type { CommandSpec, OutputFormat, SettingsFile, SettingsReader } from './command-spec.ts';

export interface CommandContext {
  readonly env: NodeJS.ProcessEnv;
  /** The typed arguments, before they become settings. */
  readonly line: CommandLine;
  readonly readSettings: SettingsReader;
  /** The result of reading the file, for a command with its own `settingsReader`. */
  readonly settingsFile: SettingsFileReading;
}

/** The module of a command in src/commands. */
export interface CommandModule<Settings = unknown> {
  readonly spec: CommandSpec<Settings>;
  /** Resolves with the process's exit code. A method, because a list contains modules with different settings. */
  run(settings: Settings, context: CommandContext): Promise<number>;
  /** Reads the settings file for a command whose memory the usual reader would exceed. */
  readonly readSettings?: SettingsReader;
  /** For a command that works with a broken settings file, whose problems are in `settingsFile`. Other commands fail with them. */
  readonly settingsReader?: (
    typed: Readonly<Record<string, unknown>>,
    usual: SettingsReader,
  ) => SettingsReader;
}

/** Combines a command's spec and function, for a file with several commands. */
export function command<Settings>(
  spec: CommandSpec<Settings>,
  run: CommandModule<Settings>['run'],
): CommandModule<Settings> {
  return { spec, run };
}

/**
 * Runs a command, or prints its help if requested. Throws a ConfigError for an invalid command line or settings file. The usual reader, with YAML and
 * the flags of all daemons, is loaded only for a command that reads the file.
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
  const forgiving = settingsReader && forgivingReader(settingsReader(read(noReader).values, readSettings));
  const line = read(forgiving?.read ?? readSettings);
  const settingsFile = forgiving?.result() ?? { kind: 'none' };
  return await run(spec.settings(line.values, env), { env, line, readSettings, settingsFile });
}

/** The outcome of reading the settings file. A broken file is a finding, and does not prevent the other checks. */
type SettingsFileReading =
  | { readonly kind: 'none' }
  | { readonly kind: 'read'; readonly file: SettingsFile }
  | { readonly kind: 'broken'; readonly problems: readonly string[] };

/** Reads the settings file if it is valid, and otherwise records its problems. */
function forgivingReader(read: SettingsReader) {
  let reading: SettingsFileReading = { kind: 'none' };
  return {
    result: (): SettingsFileReading => reading,
    read: (path: string | undefined): SettingsFile | undefined => {
      try {
        const file = read(path);
        if (file !== undefined) reading = { kind: 'read', file };
        return file;
      } catch (error) {
        const problems = error instanceof ConfigError ? error.problems : [messageOf(error)];
        reading = { kind: 'broken', problems };
        return undefined;
      }
    },
  };
}

/** Returns a function that serialises values in this format, without a trailing newline. The YAML library is loaded on demand. */
export async function structuredWriter(
  format: OutputFormat | undefined,
): Promise<(value: unknown) => string> {
  if (format !== 'yaml') return (value) => JSON.stringify(value);
  const { default: yaml } = await import('yaml');
  // Long texts stay on one line.
  return (value) => yaml.stringify(value, { lineWidth: 0 }).trimEnd();
}

/** Prints a value in the requested format, or else these lines. */
export async function printAs(
  format: OutputFormat | undefined,
  value: unknown,
  lines: () => readonly string[],
): Promise<void> {
  await printText(format ? (await structuredWriter(format))(value) : lines().join('\n'));
}

/** Whether to use colours on stdout. */
export function hasColours(env: NodeJS.ProcessEnv): boolean {
  return process.stdout.isTTY && !env['NO_COLOR'];
}

/** Prints a text to stdout. A reader that closes the pipe early, such as `head`, is not a failure. */
export async function printText(text: string): Promise<void> {
  await new Promise<void>((resolve) => {
    process.stdout.once('error', () => resolve());
    process.stdout.write(`${text}\n`, () => resolve());
  });
}
