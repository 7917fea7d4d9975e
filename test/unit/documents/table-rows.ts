import { readFileSync } from 'node:fs';

/** The cells of every row in a page's tables, without the header rows. */
export function tableRows(path: string): readonly (readonly string[])[] {
  const lines = readFileSync(path, 'utf8').split('\n');
  return lines
    .filter((line, index) => line.startsWith('| ') && lines[index + 1]?.startsWith('|---') !== true)
    .map((line) => line.slice(2, -2).split(' | '));
}
