import { wrapText } from '../engine/system/text/wrap-text.ts';
import { nearestName } from './nearest-name.ts';

/** An example command line, with its purpose if that is not obvious. */
export type Example = readonly [typed: string, goodFor?: string];

export const HELP_WIDTH = 80;

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

/** Wraps a command with backslashes for a shell. Keeps a flag with its value, and a quoted string in one piece. */
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

/** The words after `hawser`, such as `haproxy supervise`, and the command's summary. */
type Summaries = readonly (readonly [name: string, summary: string])[];

const NAME_WIDTH = 26;

/** The usage text of all commands, or of a group such as `haproxy`. */
export function usageText(summaries: Summaries, group = ''): string {
  const members = membersOf(summaries, group);
  return [
    `Usage: hawser ${group === '' ? 'COMMAND' : `${group} COMMAND`} [--help]`,
    ...(group === '' ? ['       hawser --version'] : []),
    '',
    ...members.flatMap(([name, summary]) =>
      wrapText(summary, HELP_WIDTH - NAME_WIDTH).map(
        (line, index) => (index === 0 ? `  ${name}` : '').padEnd(NAME_WIDTH) + line,
      ),
    ),
    '',
  ].join('\n');
}

/** The message for an unknown command: the most similar one, and how to list all. */
export function unknownCommandText(typed: string, summaries: Summaries): string {
  const [first = '', ...rest] = typed.split(' ');
  const group = isGroup(summaries, first) ? first : '';
  const prefix = group === '' ? '' : `${group} `;
  const names = membersOf(summaries, group).map(([name]) => name.slice(prefix.length));
  const near = nearestName(group === '' ? typed : rest.join(' '), names);
  const meant = near === undefined ? '' : `; did you mean "${prefix}${near}"?`;
  return `Cannot run "${typed}": unknown command${meant}\nhawser ${prefix}--help lists all commands.\n`;
}

/** Whether this is the first word of two-word commands, whether it is a command itself (`render`) or not (`haproxy`). */
export function isGroup(summaries: Summaries, name: string): boolean {
  return name !== '' && membersOf(summaries, name).length > 0;
}

function membersOf(summaries: Summaries, group: string): Summaries {
  return group === '' ? summaries : summaries.filter(([name]) => name.startsWith(`${group} `));
}
