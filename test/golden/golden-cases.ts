import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { structuredPatch } from 'diff';
import { expect } from 'vitest';

const separator = '\n----------------------------------------\n';
const update = process.env['UPDATE_GOLDENS'] === '1';

export interface GoldenCase {
  readonly name: string;
  readonly input: string;
  /** Compares, or rewrites what the file has. */
  readonly compare: (text: string) => void;
}

/**
 * The cases of a folder: a file each, with what is rendered, a line of dashes, and what must come out. `whole` has the whole text; a `.diff` has
 * only what differs from that, below the section that it is in. `UPDATE_GOLDENS=1 npx vitest run test/golden` rewrites the texts:
 * read the diff before you commit it.
 */
export async function goldenCases(
  folder: string,
  whole: string,
  render: (input: string) => string | Promise<string>,
): Promise<readonly GoldenCase[]> {
  const read = (name: string) => readFileSync(join(folder, name), 'utf8').split(separator);
  const [wholeInput = '', wholeText = ''] = read(whole);
  const base = update ? await render(wholeInput) : wholeText;
  return readdirSync(folder).map((name) => {
    const [input = '', expected = ''] = read(name);
    return {
      name,
      input,
      compare: (text) => {
        const shown = name.endsWith('.diff') ? differences(base, text) : text;
        if (update) writeFileSync(join(folder, name), `${input}${separator}${shown}`);
        else expect(shown).toBe(expected);
      },
    };
  });
}

/** Without line numbers, which would change with every line above; the lines around show where it is. */
function differences(base: string, text: string): string {
  const lines = base.split('\n');
  const { hunks } = structuredPatch('', '', base, text, '', '', { context: 1 });
  const sectionAt = (line: number) => lines.slice(0, line).findLast((each) => /^[^\s}#]/.test(each));
  return hunks
    .map(({ oldStart, lines: changed }) => `@@ ${sectionAt(oldStart) ?? ''}\n${changed.join('\n')}\n`)
    .join('');
}
