import { type CommandSpec, type Flag, flagsOf } from '../command-line.ts';

/** What may follow a flag, or be an argument. */
export type CompletedValue =
  | { readonly kind: 'none' }
  | { readonly kind: 'files' }
  | { readonly kind: 'directories' }
  /** An address, a name or a duration: the shell cannot complete it. */
  | { readonly kind: 'text' }
  | { readonly kind: 'choices'; readonly choices: readonly string[]; readonly isList: boolean };

export interface CompletedFlag {
  /** `--socket`. */
  readonly name: string;
  readonly help: string;
  readonly value: CompletedValue;
}

/** A command as the shells' scripts know it. */
export interface CompletedCommand {
  /** One or two words, as they are typed. */
  readonly name: string;
  readonly summary: string;
  readonly flags: readonly CompletedFlag[];
  readonly arguments: readonly { readonly name: string; readonly value: CompletedValue }[];
}

/** `choicesOf` gives values that are not part of the settings, such as those of `doctor --only`. */
export function completedCommand(
  spec: CommandSpec,
  choicesOf: (command: string, flag: string) => readonly string[] | undefined,
): CompletedCommand {
  const help: CompletedFlag = {
    name: '--help',
    help: 'what it does, and its flags',
    value: { kind: 'none' },
  };
  const flags = flagsOf(spec).map((flag): CompletedFlag => {
    const [name = ''] = flag.flag.split(' ');
    const value = valueBehind(flag, choicesOf(spec.name, name) ?? flag.choices);
    return { name, help: flag.help, value };
  });
  return {
    name: spec.name,
    summary: spec.summary,
    flags: [...flags, help],
    arguments: spec.positionals.map(({ name, choices }) => ({
      name,
      value: choices === undefined ? { kind: 'files' } : { kind: 'choices', choices, isList: false },
    })),
  };
}

/** The flag's own text names the kind of value: `--socket <path>`. */
function valueBehind({ flag }: Flag, choices: readonly string[] | undefined): CompletedValue {
  const [, placeholder] = /<(.+)>/.exec(flag) ?? [];
  if (placeholder === undefined) return { kind: 'none' };
  if (choices !== undefined) return { kind: 'choices', choices, isList: /s$/.test(placeholder) };
  if (/^(?:path|file)s?$/.test(placeholder)) return { kind: 'files' };
  return /^dirs?$/.test(placeholder) ? { kind: 'directories' } : { kind: 'text' };
}

/** The words that a command line can begin with, and what may follow each: `haproxy` → `supervise`, … */
export function wordTree(commands: readonly CompletedCommand[]): ReadonlyMap<string, readonly string[]> {
  const tree = new Map<string, readonly string[]>();
  for (const { name } of commands) {
    const [first = '', second] = name.split(' ');
    tree.set(first, [...(tree.get(first) ?? []), ...(second === undefined ? [] : [second])]);
  }
  return tree;
}
