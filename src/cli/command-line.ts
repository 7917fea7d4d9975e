import { Command, CommanderError, Option } from 'commander';
import { ConfigError } from '../engine/system/errors.ts';
import { type Example, HELP_WIDTH, helpTail } from './help-text.ts';
import { readSettingsInChild } from './read-settings-in-child.ts';
import {
  defaultSettingsPath,
  type Section,
  type SettingsFile,
  type SettingsReader,
} from './settings-values.ts';

export interface Flag {
  /** As commander writes it: `--socket <path>`, `--json`. */
  readonly flag: string;
  readonly help: string;
  readonly default?: string;
  /**
   * Where the settings file has it: at the top what is true of the node or the cluster and not of one pod, never what
   * other programs have to find without the file; else in the section of its command.
   */
  readonly inFile?: 'top' | 'never';
  /** The settings file has it as another command's key: the page of a monitor is that monitor's `listen`. */
  readonly keyInFile?: readonly [Section, string];
  /** Every value that it takes; of a list, those of its elements. */
  readonly choices?: readonly string[];
  /**
   * Has no variable: what changes a node, or keeps a command from changing it, is asked for where it is typed; so is what one
   * call chooses, where other commands would read the variable with another meaning.
   */
  readonly typedOnly?: true;
  /** May be typed several times, which is the same as once with commas. Its default is its schema's. */
  readonly repeats?: true;
}

export interface Positional {
  readonly name: string;
  readonly help: string;
  readonly inFile?: 'top' | 'never';
  readonly choices?: readonly string[];
}

export interface CommandSpec {
  /** What is typed after `hawser`: `haproxy supervise`. */
  readonly name: string;
  readonly summary: string;
  readonly positionals: readonly Positional[];
  readonly flags: readonly Flag[];
  readonly examples: readonly Example[];
  /** Paragraphs; the last one lists the exit codes. */
  readonly notes: readonly string[];
  /** The section of the settings file that it reads beside the top. A command without one reads no file. */
  readonly section?: Section;
}

export type CommandLine =
  | {
      readonly kind: 'values';
      readonly values: Readonly<Record<string, unknown>>;
      /** Where each value came from: `--api-port`, `HAWSER_API_PORT`, `/etc/hawser/config.yaml:3` or `default`. */
      readonly origins: Readonly<Record<string, string>>;
    }
  | { readonly kind: 'help'; readonly text: string };

const settingsFlag: Flag = {
  flag: '--settings <path>',
  help: `settings file; a missing one is an error (default: ${defaultSettingsPath}, if it is there)`,
};

/** Of every command with `--json`. */
const outputFlag: Flag = {
  flag: '--output <format>',
  help: 'json, as --json, or yaml with the same fields; -o for short',
  choices: ['json', 'yaml'],
  inFile: 'never',
};

interface Origin {
  readonly value: unknown;
  readonly from: string;
}

/**
 * The values of a command line by camel-case name, `settings` being the path of the file that was read. The order is:
 * flags, `HAWSER_…` variables (`--stats-socket` is `HAWSER_STATS_SOCKET`; none of a `typedOnly` flag), the settings file,
 * defaults. Throws a
 * ConfigError for an unknown flag, a missing argument, and every problem of the settings file.
 */
export function readCommandLine(
  spec: CommandSpec,
  argv: readonly string[],
  env: NodeJS.ProcessEnv,
  readSettings: SettingsReader = readSettingsInChild,
): CommandLine {
  const flags = flagsOf(spec);
  const parsed = parseArguments({ ...spec, flags }, argv);
  if (parsed.kind === 'help') return parsed;
  const { command } = parsed;
  const file = spec.section === undefined ? undefined : readSettings(typedSettingsPath(command, env));
  const options = command.options.map((option, index) => {
    const name = option.attributeName();
    const found = fileValue(flags[index], file, spec.section, name);
    const variables = flags[index]?.typedOnly ? {} : env;
    return [name, typedValue(command, option, variables) ?? found ?? defaultValue(command, option)] as const;
  });
  const entries = [...options, ...positionalsOf(spec, command, file)];
  return {
    kind: 'values',
    values: {
      ...Object.fromEntries(entries.map(([name, { value }]) => [name, value])),
      ...structured(spec, entries),
      ...(file !== undefined && { settings: file.path }),
    },
    origins: Object.fromEntries(entries.map(([name, { from }]) => [name, from])),
  };
}

/** Its own, and those that every command of its kind has. */
export function flagsOf({ section, flags }: CommandSpec): readonly Flag[] {
  const printed = flags.some(({ flag }) => flag === '--json') ? [outputFlag] : [];
  return [...flags, ...printed, ...(section === undefined ? [] : [settingsFlag])];
}

function parseArguments(
  spec: CommandSpec,
  argv: readonly string[],
): { readonly kind: 'parsed'; readonly command: Command } | { readonly kind: 'help'; readonly text: string } {
  let text = '';
  const command = new Command(`hawser ${spec.name}`).description(spec.summary).exitOverride();
  command.configureOutput({ writeOut: (out) => (text += out), writeErr: () => undefined });
  command
    .configureHelp({ helpWidth: HELP_WIDTH, minWidthToWrap: 20 })
    .addHelpText('after', `\n${helpTail(spec.examples, spec.notes)}`)
    .allowExcessArguments(false);
  for (const { name, help } of spec.positionals)
    command.argument(spec.section === undefined ? `<${name}>` : `[${name}]`, help);
  for (const flag of spec.flags) command.addOption(optionOf(flag));
  try {
    command.parse([...asDeclared(argv, spec.flags)], { from: 'user' });
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) return { kind: 'help', text };
    if (error instanceof CommanderError)
      throw new ConfigError([withoutPrefix(error.message)], { cause: error });
    throw error;
  }
  return { kind: 'parsed', command };
}

/** `json` is the format that was asked for, whether by --json or by --output; undefined where text was. */
function structured(
  { flags }: CommandSpec,
  entries: readonly (readonly [string, Origin])[],
): Readonly<Record<string, unknown>> {
  if (!flags.some(({ flag }) => flag === '--json')) return {};
  const { json, output } = Object.fromEntries(entries.map(([name, { value }]) => [name, value]));
  if (output !== undefined && output !== 'json' && output !== 'yaml')
    throw new ConfigError([`Cannot use --output "${String(output)}": expected json or yaml`]);
  return { json: output ?? (json === true ? 'json' : undefined) };
}

/** Which may be typed in the singular and in the plural, whichever of the two a command declares. */
const TWINS = [
  ['--api-vip', '--api-vips'],
  ['--ingress-vip', '--ingress-vips'],
] as const;

function asDeclared(argv: readonly string[], flags: readonly Flag[]): readonly string[] {
  const declared = new Set(flags.map(({ flag }) => flag.split(' ')[0]));
  return argv.map((word) => {
    const [name = '', ...value] = word.split('=');
    const twin = TWINS.find((pair) => pair.some((each) => each === name))?.find((each) => declared.has(each));
    if (twin !== undefined && !declared.has(name)) return [twin, ...value].join('=');
    if (!declared.has('--output')) return word;
    return name === '-o' ? ['--output', ...value].join('=') : word.replace(/^-o(json|yaml)$/, '--output=$1');
  });
}

function optionOf(flag: Flag): Option {
  const variable = flag.typedOnly ? '' : ` [${variableOf(new Option(flag.flag))}]`;
  const option = new Option(flag.flag, `${flag.help}${variable}`);
  if (flag.repeats)
    option.argParser((text: string, before?: string) => (before === undefined ? text : `${before},${text}`));
  // A list can be broken at its blanks.
  return flag.default === undefined
    ? option
    : option.default(flag.default, `"${flag.default.replaceAll(',', ', ')}"`);
}

/** `--stats-socket` is `HAWSER_STATS_SOCKET`. */
export function variableOf(option: Option): string {
  return variableNamed(option.name());
}

function variableNamed(name: string): string {
  return `HAWSER_${name.toUpperCase().replaceAll('-', '_')}`;
}

function twinsOf(option: Option): readonly string[] {
  const pair = TWINS.find((each) => each.some((name) => name === `--${option.name()}`)) ?? [];
  return pair.map((name) => name.slice('--'.length)).filter((name) => name !== option.name());
}

function typedSettingsPath(command: Command, env: NodeJS.ProcessEnv): string | undefined {
  const typed = command.getOptionValue('settings') ?? env['HAWSER_SETTINGS'];
  return typeof typed === 'string' ? typed : undefined;
}

/** From the command line, else from the environment. */
function typedValue(command: Command, option: Option, env: NodeJS.ProcessEnv): Origin | undefined {
  const name = option.attributeName();
  if (command.getOptionValueSource(name) === 'cli')
    return { value: command.getOptionValue(name), from: `--${option.name()}` };
  const from = [option.name(), ...twinsOf(option)].map(variableNamed).find((each) => env[each] !== undefined);
  const text = from === undefined ? undefined : env[from];
  if (from === undefined || text === undefined) return undefined;
  return { value: option.isBoolean() ? ['1', 'true', 'yes'].includes(text) : text, from };
}

function defaultValue(command: Command, option: Option): Origin {
  return { value: command.getOptionValue(option.attributeName()), from: 'default' };
}

function fileValue(
  flag: Flag | undefined,
  file: SettingsFile | undefined,
  section: Section | undefined,
  name: string,
): Origin | undefined {
  const [place, key] = flag?.keyInFile ?? [section, name];
  return valueIn(file, place, key, flag?.inFile);
}

function valueIn(
  file: SettingsFile | undefined,
  section: Section | undefined,
  name: string,
  place: Flag['inFile'],
): Origin | undefined {
  if (file === undefined || section === undefined || place === 'never') return undefined;
  const entry = file.values[place ?? section][name];
  return entry === undefined ? undefined : { value: entry.value, from: `${file.path}:${entry.line}` };
}

/** Typed, all of them or none: which one a single path is meant to be would be a guess. */
function positionalsOf(
  spec: CommandSpec,
  command: Command,
  file: SettingsFile | undefined,
): readonly (readonly [string, Origin])[] {
  const typed = command.args.length > 0;
  const found = spec.positionals.map(({ name, inFile }, index) => {
    const key = camelCase(name);
    const origin = typed
      ? { value: command.args[index], from: name }
      : valueIn(file, spec.section, key, inFile);
    return [key, origin ?? { value: undefined, from: 'default' }] as const;
  });
  const missing = spec.positionals.filter((_, index) => found[index]?.[1].value === undefined);
  if (missing.length > 0)
    throw new ConfigError(missing.map(({ name }) => `missing required argument '${name}'`));
  return found;
}

export function camelCase(name: string): string {
  return name.toLowerCase().replace(/-(.)/g, (_, letter: string) => letter.toUpperCase());
}

function withoutPrefix(message: string): string {
  return message.replace(/^error: /, '');
}
