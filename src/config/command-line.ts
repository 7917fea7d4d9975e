import { Command, CommanderError, Option } from 'commander';
import { ConfigError } from '../model/errors.ts';

export interface Flag {
  /** As commander writes it: `--socket <path>`, `--json`. */
  readonly flag: string;
  readonly help: string;
  readonly default?: string;
}

export interface CommandSpec {
  /** What is typed after `hawser`: `haproxy supervise`. */
  readonly name: string;
  readonly summary: string;
  readonly positionals: readonly { readonly name: string; readonly help: string }[];
  readonly flags: readonly Flag[];
  readonly notes: string;
}

export type CommandLine =
  | { readonly kind: 'values'; readonly values: Readonly<Record<string, unknown>> }
  | { readonly kind: 'help'; readonly text: string };

/**
 * What was asked for, by camel-case name: flags, then `HAWSER_…` variables (`--stats-socket` is
 * `HAWSER_STATS_SOCKET`), then defaults. Throws a ConfigError for an unknown flag or a missing argument.
 */
export function readCommandLine(
  spec: CommandSpec,
  argv: readonly string[],
  env: NodeJS.ProcessEnv,
): CommandLine {
  let text = '';
  const command = new Command(`hawser ${spec.name}`).description(spec.summary).exitOverride();
  command.configureOutput({ writeOut: (out) => (text += out), writeErr: () => undefined });
  command
    .configureHelp({ helpWidth: 100 })
    .addHelpText('after', `\n${spec.notes}`)
    .allowExcessArguments(false);
  for (const { name, help } of spec.positionals) command.argument(`<${name}>`, help);
  for (const flag of spec.flags) command.addOption(optionOf(flag));
  try {
    command.parse([...argv], { from: 'user' });
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) return { kind: 'help', text };
    if (error instanceof CommanderError)
      throw new ConfigError([withoutPrefix(error.message)], { cause: error });
    throw error;
  }
  const positionals = spec.positionals.map(
    ({ name }, index) => [camelCase(name), command.args[index]] as const,
  );
  const options = command.options.map(
    (option) => [option.attributeName(), effectiveValue(command, option, env)] as const,
  );
  return { kind: 'values', values: Object.fromEntries([...options, ...positionals]) };
}

function optionOf(flag: Flag): Option {
  const variable = variableOf(new Option(flag.flag));
  const option = new Option(flag.flag, `${flag.help} [${variable}]`);
  return flag.default === undefined ? option : option.default(flag.default);
}

/** `--stats-socket` is `HAWSER_STATS_SOCKET`. */
function variableOf(option: Option): string {
  return `HAWSER_${option.name().toUpperCase().replaceAll('-', '_')}`;
}

function effectiveValue(command: Command, option: Option, env: NodeJS.ProcessEnv): unknown {
  const name = option.attributeName();
  const variable = env[variableOf(option)];
  if (command.getOptionValueSource(name) === 'cli' || variable === undefined)
    return command.getOptionValue(name);
  return option.isBoolean() ? ['1', 'true', 'yes'].includes(variable) : variable;
}

function camelCase(name: string): string {
  return name.toLowerCase().replace(/-(.)/g, (_, letter: string) => letter.toUpperCase());
}

function withoutPrefix(message: string): string {
  return message.replace(/^error: /, '');
}
