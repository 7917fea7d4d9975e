import { resolve } from 'node:path';
import { Command, CommanderError, Option } from 'commander';
import { ConfigError } from '../engine/system/errors.ts';
import {
  type CommandSpec,
  type Flag,
  flagName,
  type Section,
  type SettingsFile,
  type SettingsReader,
  variableName,
} from './command-spec.ts';
import { instancePath } from './shared-flags.ts';
import { HELP_WIDTH, helpTail } from './usage.ts';

export interface CommandLine {
  readonly values: Readonly<Record<string, unknown>>;
  /** Where each value comes from: `--api-port`, `HAWSER_API_PORT`, `/etc/hawser/config.yaml:3` or `default`. */
  readonly origins: Readonly<Record<string, string>>;
}

interface Origin {
  readonly value: unknown;
  readonly from: string;
}

type Named = readonly [name: string, Origin];

/** The help text if --help was typed, without reading anything else. Throws a ConfigError for an unknown flag. */
export function helpTyped(spec: CommandSpec, argv: readonly string[]): string | undefined {
  const parsed = parseArguments(spec, argv);
  return typeof parsed === 'string' ? parsed : undefined;
}

/**
 * The values of a command line, keyed by camel-case name. `settings` is the path of the file that was read. Precedence: flags, `HAWSER_…` variables
 * (`--stats-socket` is `HAWSER_STATS_SOCKET`; not for a `typedOnly` flag), the settings file, defaults. `folder` is the base for a relative path of
 * the file. Throws a ConfigError for an unknown flag, `--help`, a missing argument, and all problems of the settings file. With `--instance` it reads
 * only a settings file that is named.
 */
export function readCommandLine(
  spec: CommandSpec,
  argv: readonly string[],
  env: NodeJS.ProcessEnv,
  readSettings: SettingsReader,
  folder = process.cwd(),
): CommandLine {
  const command = parseArguments(spec, argv);
  if (typeof command === 'string') throw new ConfigError(['Cannot use --help with other arguments']);
  const instance = instanceOf(spec, command, env);
  const path = typedSettingsPath(command, env, folder);
  const readsFile = spec.section !== undefined && (instance === undefined || path !== undefined);
  const file = readsFile ? readSettings(path) : undefined;
  const flags = Object.entries(spec.flags).map(
    ([name, flag]): Named => [
      name,
      typedValue(command, name, flag, env) ??
        valueIn(file, spec.section, name, flag) ?? {
          value: defaultValue(flag, command.getOptionValue(name), instance),
          from: 'default',
        },
    ],
  );
  const entries = [...flags, ...positionalsOf(spec, command, file)];
  const values = Object.fromEntries(entries.map(([name, { value }]) => [name, value]));
  return {
    values: {
      ...values,
      ...structured(spec, entries),
      ...(file !== undefined && { settings: file.path }),
    },
    origins: Object.fromEntries(entries.map(([name, { from }]) => [name, from])),
  };
}

/** The settings of a command with these arguments. Throws a ConfigError that lists all problems. */
export function settingsTyped<Settings>(
  spec: CommandSpec<Settings>,
  argv: readonly string[],
  env: NodeJS.ProcessEnv,
  readSettings: SettingsReader,
): Settings {
  return spec.settings(readCommandLine(spec, argv, env, readSettings).values, env);
}

/** Returns the parsed command, or the text for `--help`. */
function parseArguments(spec: CommandSpec, argv: readonly string[]): Command | string {
  let text = '';
  const command = new Command(`hawser ${spec.name}`).description(spec.summary).exitOverride();
  command.configureOutput({ writeOut: (out) => (text += out), writeErr: () => undefined });
  command
    .configureHelp({ helpWidth: HELP_WIDTH, minWidthToWrap: 20 })
    .addHelpText('after', `\n${helpTail(spec.examples, spec.notes)}`)
    .allowExcessArguments(false);
  for (const [name, { help }] of Object.entries(spec.positionals)) {
    const shown = name.toUpperCase();
    command.argument(spec.section === undefined ? `<${shown}>` : `[${shown}]`, help);
  }
  for (const [name, flag] of Object.entries(spec.flags)) command.addOption(optionOf(name, flag));
  try {
    command.parse([...asDeclared(argv, spec)], { from: 'user' });
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) return text;
    if (error instanceof CommanderError)
      throw new ConfigError([error.message.replace(/^error: /, '')], { cause: error });
    throw error;
  }
  return command;
}

/** `json` is the requested format, from --json or --output; undefined for text. */
function structured({ flags }: CommandSpec, entries: readonly Named[]): Readonly<Record<string, unknown>> {
  if (!('json' in flags)) return {};
  const { json, output } = Object.fromEntries(entries.map(([name, { value }]) => [name, value]));
  if (output !== undefined && output !== 'json' && output !== 'yaml')
    throw new ConfigError([`Cannot use --output "${String(output)}": expected json or yaml`]);
  return { json: output ?? (json === true ? 'json' : undefined) };
}

/** Flags that are accepted in singular and plural, whichever a command declares. */
const TWINS = [
  ['apiVip', 'apiVips'],
  ['ingressVip', 'ingressVips'],
] as const;

function twinOf(name: string): string | undefined {
  const pair: readonly string[] = TWINS.find((each) => each.some((twin) => twin === name)) ?? [];
  return pair.find((twin) => twin !== name);
}

function asDeclared(argv: readonly string[], { flags }: CommandSpec): readonly string[] {
  const twins = TWINS.flat().filter((name) => !(name in flags) && (twinOf(name) ?? '') in flags);
  return argv.map((word) => {
    const [typed = '', ...value] = word.split('=');
    const twin = twins.find((name) => flagName(name) === typed);
    if (twin !== undefined) return [flagName(twinOf(twin) ?? twin), ...value].join('=');
    if (!('output' in flags)) return word;
    return typed === '-o' ? ['--output', ...value].join('=') : word.replace(/^-o(json|yaml)$/, '--output=$1');
  });
}

function optionOf(name: string, flag: Flag): Option {
  const typed = flag.value === undefined ? flagName(name) : `${flagName(name)} ${flag.value}`;
  const variable = flag.typedOnly ? '' : ` [${flag.variable ?? variableName(name)}]`;
  const option = new Option(typed, `${flag.help}${variable}`);
  if (flag.repeats)
    option.argParser((text: string, before?: string) => (before === undefined ? text : `${before},${text}`));
  // A list can be wrapped at its blanks.
  return flag.default === undefined
    ? option
    : option.default(flag.default, `"${flag.default.replaceAll(',', ', ')}"`);
}

/** The name of the instance. Its field validates it later. */
function instanceOf({ flags }: CommandSpec, command: Command, env: NodeJS.ProcessEnv): string | undefined {
  const typed = flags['instance'] && typedValue(command, 'instance', flags['instance'], env)?.value;
  return typeof typed === 'string' ? typed : undefined;
}

function defaultValue({ hasInstances }: Flag, usual: unknown, instance: string | undefined): unknown {
  if (!hasInstances || instance === undefined || typeof usual !== 'string') return usual;
  return instancePath(usual, instance);
}

/** Absolute, because a monitor and its threads read the file again from other directories. */
function typedSettingsPath(command: Command, env: NodeJS.ProcessEnv, folder: string): string | undefined {
  const typed = command.getOptionValue('settings') ?? env['HAWSER_SETTINGS'];
  return typeof typed === 'string' ? resolve(folder, typed) : undefined;
}

/** The value from the command line, or else from the environment. */
function typedValue(command: Command, name: string, flag: Flag, env: NodeJS.ProcessEnv): Origin | undefined {
  if (command.getOptionValueSource(name) === 'cli')
    return { value: command.getOptionValue(name), from: flagName(name) };
  if (flag.typedOnly) return undefined;
  const variables = flag.variable ?? [name, twinOf(name) ?? name].map(variableName);
  // Other manifests disable a variable by setting it to an empty string.
  const isSet = (each: string) => env[each] !== undefined && !(each === flag.variable && env[each] === '');
  const from = [variables].flat().find(isSet);
  const text = from === undefined ? undefined : env[from];
  if (from === undefined || text === undefined) return undefined;
  return {
    value: flag.value === undefined ? ['1', 't', 'true', 'yes'].includes(text.toLowerCase()) : text,
    from,
  };
}

function valueIn(
  file: SettingsFile | undefined,
  section: Section | undefined,
  name: string,
  { inFile, keyInFile }: Pick<Flag, 'inFile' | 'keyInFile'>,
): Origin | undefined {
  const [place, key] = keyInFile ?? [inFile ?? section, name];
  if (file === undefined || place === undefined || inFile === 'never') return undefined;
  const entry = file.values[place]?.[key];
  return entry === undefined ? undefined : { value: entry.value, from: `${file.path}:${entry.line}` };
}

/** All positionals must be given, or none: the meaning of a single path would be a guess. */
function positionalsOf(
  spec: CommandSpec,
  command: Command,
  file: SettingsFile | undefined,
): readonly Named[] {
  const typed = command.args.length > 0;
  const named = Object.entries(spec.positionals).map(([name, declared], index): Named => {
    const origin = typed
      ? { value: command.args[index], from: name.toUpperCase() }
      : valueIn(file, spec.section, name, declared);
    return [name, origin ?? { value: undefined, from: 'default' }];
  });
  const missing = named.filter(([, { value }]) => value === undefined);
  if (missing.length > 0)
    throw new ConfigError(missing.map(([name]) => `missing required argument '${name.toUpperCase()}'`));
  return named;
}
