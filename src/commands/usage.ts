import { HELP_WIDTH } from '../config/help-text.ts';
import { nearestName } from '../model/nearest-name.ts';
import { wrapText } from '../model/wrap-text.ts';

/** What is typed after `hawser`, such as `haproxy supervise`, and what it does. */
export type Summaries = readonly (readonly [name: string, summary: string])[];

const NAME_WIDTH = 26;

/** Of all commands, or of those of a group such as `haproxy`. */
export function usageText(summaries: Summaries, group = ''): string {
  const members = membersOf(summaries, group);
  return [
    `usage: hawser ${group === '' ? 'COMMAND' : `${group} COMMAND`} [--help]`,
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

/** For what was typed and is no command: the one that was probably meant, and where those are that there are. */
export function unknownCommandText(typed: string, summaries: Summaries): string {
  const [first = '', ...rest] = typed.split(' ');
  const group = isGroup(summaries, first) ? first : '';
  const prefix = group === '' ? '' : `${group} `;
  const names = membersOf(summaries, group).map(([name]) => name.slice(prefix.length));
  const near = nearestName(group === '' ? typed : rest.join(' '), names);
  const meant = near === undefined ? '' : `; did you mean "${prefix}${near}"?`;
  return `Cannot run "${typed}": there is no such command${meant}\nhawser ${prefix}--help lists those there are.\n`;
}

/** What commands of two words begin with: no command by itself, as `haproxy`, or one all the same, as `render`. */
export function isGroup(summaries: Summaries, name: string): boolean {
  return name !== '' && membersOf(summaries, name).length > 0;
}

function membersOf(summaries: Summaries, group: string): Summaries {
  return group === '' ? summaries : summaries.filter(([name]) => name.startsWith(`${group} `));
}
