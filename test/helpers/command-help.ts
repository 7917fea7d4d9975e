import { helpTyped } from '../../src/cli/command-line.ts';
import type { CommandName } from '../../src/commands/summaries.ts';
import { commands } from '../../src/commands/table.ts';

/**
 * The text of `--help` for the command that these words begin with, and the flags and arguments it lists. Throws for an
 * unknown command.
 */
export async function helpOf(words: readonly string[]) {
  const name = [2, 1].map((length) => words.slice(0, length).join(' ')).find(isCommand);
  if (name === undefined) throw new Error(`Cannot find the command of "hawser ${words.join(' ')}"`);
  const { spec } = await commands[name]();
  const text = helpTyped(spec, ['--help']) ?? '';
  const [usage = ''] = text.split('\n');
  return {
    text,
    flags: text.match(/--[a-z][a-z-]*/g) ?? [],
    positionals: usage.match(/[<[][A-Z]+[\]>]/g) ?? [],
  };
}

const isCommand = (name: string): name is CommandName => Object.hasOwn(commands, name);
