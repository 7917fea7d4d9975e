import type { CommandSpec, Flag } from '../command-spec.ts';
import { flagName } from '../flag-name.ts';
import { fileFormOf } from '../settings-form.ts';

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

export function completedCommand(spec: CommandSpec): CompletedCommand {
  const help: CompletedFlag = {
    name: '--help',
    help: 'what it does, and its flags',
    value: { kind: 'none' },
  };
  const flags = Object.entries(spec.flags).map(
    ([name, flag]): CompletedFlag => ({ name: flagName(name), help: flag.help, value: valueBehind(flag) }),
  );
  return {
    name: spec.name,
    summary: spec.summary,
    flags: [...flags, help],
    arguments: Object.entries(spec.positionals).map(([name, { field }]) => {
      const choices = choicesOf(field);
      return {
        name: name.toUpperCase(),
        value: choices === undefined ? { kind: 'files' } : { kind: 'choices', choices, isList: false },
      };
    }),
  };
}

function choicesOf(field: Flag['field']): readonly string[] | undefined {
  const { enum: words } = fileFormOf({ field });
  return Array.isArray(words) ? words : undefined;
}

/** The placeholder names the kind of value: `<path>`. */
function valueBehind({ value = '', field, choices = choicesOf(field) }: Flag): CompletedValue {
  const [, placeholder] = /<(.+)>/.exec(value) ?? [];
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
