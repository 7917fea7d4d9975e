import * as z from 'zod/mini';
import { ConfigError } from '../engine/system/errors.ts';
import type { Example } from './usage.ts';

/** The default path. The file may be missing. */
export const defaultSettingsPath = '/etc/hawser/config.yaml';

/** The name of a pod, which alone uses these settings. */
export type Section = string;

/** A value in the form of its flag, and its line in the file. */
const entry = z.object({ value: z.union([z.string(), z.boolean()]), line: z.number() });
const entries = z.record(z.string(), entry);

/** Also the output of `hawser settings --json`, which supervisors read. */
export const settingsValues = z.catchall(z.object({ top: entries }), entries);

export type SettingsValues = z.infer<typeof settingsValues>;

export interface SettingsFile {
  readonly path: string;
  readonly values: SettingsValues;
}

/**
 * Reads the file at `path`, or the default file if no path is given and it exists. Throws a ConfigError with all problems of the file, or if the
 * given file is missing.
 */
export type SettingsReader = (path: string | undefined) => SettingsFile | undefined;

/** The common part of a flag and an argument. */
interface Declared {
  readonly help: string;
  /** Parses the text and determines the type of the value. */
  readonly field: z.ZodMiniType;
  /**
   * Position in the settings file. `top`: the value applies to the node or the cluster, not to one pod. `never`: other programs need it without
   * reading the file. Default: the section of its command.
   */
  readonly inFile?: 'top' | 'never';
}

/**
 * A flag, declared once under its name in camel case: `apiPort` is `--api-port`, `HAWSER_API_PORT` and the key `apiPort` of the settings file. Help,
 * completion, reference page, JSON Schema and the type of its value are derived from it.
 */
export interface Flag extends Declared {
  /** `<path>`; undefined for a switch. */
  readonly value?: string;
  readonly default?: string;
  /** Set if its key belongs to another command: the page of a monitor is that monitor's `listen`. */
  readonly keyInFile?: readonly [Section, string];
  /** Allowed elements of a list. The choices of a single value are in its field. */
  readonly choices?: readonly string[];
  /**
   * It has no environment variable. For flags that change a node or confirm a change, and for choices of one call that would have another meaning for
   * other commands.
   */
  readonly typedOnly?: true;
  /** An established name of its variable: `ROUTER_MAX_CONNECTIONS` instead of `HAWSER_MAX_CONNECTIONS`. */
  readonly variable?: string;
  /** A path whose default depends on the instance: with `--instance b` its folder ends in `-b`. */
  readonly hasInstances?: true;
  /** May be repeated, which means the same as one list with commas. Its default is in its field. */
  readonly repeats?: true;
}

export type Positional = Declared;
type Fields = Readonly<Record<string, Declared>>;
type Values = Readonly<Record<string, unknown>>;

export type SettingsFrom<F extends Fields> = z.infer<
  z.ZodMiniObject<{ -readonly [Name in keyof F]: F[Name]['field'] }>
>;

interface AboutCommand {
  /** The words after `hawser`: `haproxy supervise`. */
  readonly name: string;
  readonly summary: string;
  readonly examples: readonly Example[];
  /** Paragraphs. The last one lists the exit codes. */
  readonly notes: readonly string[];
  /** Its section of the settings file, which it reads in addition to the top. A command without a section reads no file. */
  readonly section?: Section;
}

interface Declaration<P extends Fields, F extends Readonly<Record<string, Flag>>> extends AboutCommand {
  /** In order. Shown in capitals. */
  readonly positionals?: P;
  readonly flags: F;
}

export interface CommandSpec<Settings = unknown> extends AboutCommand {
  readonly positionals: Readonly<Record<string, Positional>>;
  /** Its own flags, and those that all commands of its kind have. */
  readonly flags: Readonly<Record<string, Flag>>;
  /** Combines the command line, the environment and the file. Throws a ConfigError that lists all problems. */
  readonly settings: (values: Values, env: NodeJS.ProcessEnv) => Settings;
}

export type SettingsOf<Spec> = Spec extends CommandSpec<infer Settings> ? Settings : never;

/** For a command with a section, `settings` is the path of the file that was read. */
type Parsed<P extends Fields, F extends Fields> = SettingsFrom<P & F> & {
  readonly settings?: string | undefined;
};

/** Declares a command. `derive` validates combinations of fields, by throwing a ConfigError, and adds derived values. */
export function commandSpec<
  F extends Readonly<Record<string, Flag>>,
  P extends Fields = Readonly<Record<never, never>>,
  Settings = Parsed<P, F>,
>({
  derive,
  ...spec
}: Declaration<P, F> & {
  readonly derive?: (settings: Parsed<P, F>, env: NodeJS.ProcessEnv) => Settings;
}): CommandSpec<Settings> {
  const positionals = spec.positionals ?? {};
  const own: Readonly<Record<string, Flag>> = spec.flags;
  const file = spec.section === undefined ? {} : { settings: settingsFlag };
  const flags = { ...own, ...('json' in own && { output: outputFlag }), ...file };
  const fields = Object.entries({ ...positionals, ...own, ...file }).map(([name, { field }]) => [
    name,
    field,
  ]);
  const schema = z.object(Object.fromEntries(fields)) as z.ZodMiniType as z.ZodMiniType<Parsed<P, F>>;
  return {
    ...spec,
    positionals,
    flags,
    settings: (values, env) => {
      const settings = parseSettings(schema, values, (name) => writtenAs(name, own[name], values[name], env));
      return derive === undefined ? (settings as Settings) : derive(settings, env);
    },
  };
}

/** The command at the start of these words, with the remaining words as arguments. Undefined if there is none. */
export function commandAmong(specs: readonly CommandSpec[], words: readonly string[]) {
  const spec = specs.find(({ name }) => `${words.join(' ')} `.startsWith(`${name} `));
  return spec && { spec, argv: words.slice(spec.name.split(' ').length) };
}

/** The name of the variable if the invalid value came from it, or else of the flag. */
function writtenAs(name: string, flag: Flag | undefined, value: unknown, env: NodeJS.ProcessEnv): string {
  const variable = flag?.variable ?? variableName(name);
  const isOfVariable = flag?.typedOnly !== true && value !== undefined && env[variable] === value;
  return isOfVariable ? variable : flagName(name);
}

const settingsFlag: Flag = {
  value: '<path>',
  help: `settings file; a missing one is an error (default: ${defaultSettingsPath} if it exists)`,
  field: z.optional(z.string()),
  inFile: 'never',
};

/** Output format of a command with `--json`; undefined is text for people. */
const outputFormat = z.optional(z.enum(['json', 'yaml']));

export type OutputFormat = NonNullable<z.infer<typeof outputFormat>>;

/** Every command with `--json` has it. */
const outputFlag: Flag = {
  value: '<format>',
  help: 'json, as --json, or yaml with the same fields; -o for short',
  field: outputFormat,
  inFile: 'never',
};

/** `json` has the format, from --json or --output. */
export function jsonFlag(help: string) {
  return { help, field: outputFormat, inFile: 'never' } as const satisfies Flag;
}

/** A flag with a value: `flag('<path>', absolutePath, 'where it is written', { default: '/tmp/it' })`. */
export function flag<const Field extends z.ZodMiniType>(
  value: string,
  field: Field,
  help: string,
  more: Omit<Flag, 'value' | 'field' | 'help'> = {},
): Flag & { readonly field: Field } {
  return { ...more, value, field, help };
}

export function toggle(help: string, more: Pick<Flag, 'inFile' | 'typedOnly' | 'variable'> = {}) {
  return { ...more, help, field: z._default(z.boolean(), false) } satisfies Flag;
}

/**
 * Parses typed values. Throws one ConfigError with all problems, each as `Cannot use --socket "x": expected an absolute path`. `nameOf` returns the
 * name of a setting as the user wrote it.
 */
function parseSettings<T>(
  schema: z.ZodMiniType<T>,
  values: Readonly<Record<string, unknown>>,
  nameOf: (setting: string) => string,
): T {
  const parsed = schema.safeParse(values);
  if (parsed.success) return parsed.data;
  throw new ConfigError(parsed.error.issues.map((issue) => problemOf(issue, values, nameOf)));
}

function problemOf(
  issue: z.core.$ZodIssue,
  values: Readonly<Record<string, unknown>>,
  nameOf: (setting: string) => string,
): string {
  const name = String(issue.path[0] ?? '');
  const value = values[name];
  const shown = value === undefined ? 'Cannot run without' : 'Cannot use';
  // The position within a list of records: `.1.port`.
  const within = issue.path.length > 2 ? `.${issue.path.slice(1).join('.')}` : '';
  return `${shown} ${nameOf(name)}${within}${value === undefined ? '' : ` "${String(value).slice(0, 200)}"`}: ${issue.message}`;
}

/** `apiPort` is `--api-port`. */
export function flagName(name: string): string {
  return `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

/** `apiPort` is `HAWSER_API_PORT`. */
export function variableName(name: string): string {
  return `HAWSER_${flagName(name).slice('--'.length).toUpperCase().replaceAll('-', '_')}`;
}
