import { wrapText } from '../engine/system/text/wrap-text.ts';

/** An example command line, and its purpose if that is not obvious. */
export type Example = readonly [typed: string, goodFor?: string];

export const HELP_WIDTH = 80;

/** The text below the flags in a command's `--help`. */
export function helpTail(examples: readonly Example[], notes: readonly string[]): string {
  return [
    'Examples:',
    ...examples.flatMap(([typed, goodFor]) => [
      ...wrapCommand(typed, HELP_WIDTH - 2).map((line) => `  ${line}`),
      ...(goodFor === undefined ? [] : wrapText(goodFor, HELP_WIDTH - 8).map((line) => `      # ${line}`)),
    ]),
    '',
    ...notes.flatMap((note) => wrapText(note, HELP_WIDTH)),
  ].join('\n');
}

/** Wraps with backslashes for a shell. A flag stays with its value, and a quoted string in one piece. */
function wrapCommand(text: string, width: number): readonly string[] {
  const words = text.match(/(?:--\S+ (?=[^-|&>]))?(?:'[^']*'|"[^"]*"|\S)+/g) ?? [];
  const lines: string[] = [];
  for (const word of words) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + word.length + 2 <= width)
      lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(last === undefined ? word : `    ${word}`);
  }
  return lines.map((line, index) => (index < lines.length - 1 ? `${line} \\` : line));
}
