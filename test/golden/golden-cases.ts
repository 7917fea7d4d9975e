import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { structuredPatch } from 'diff';
import { expect } from 'vitest';

const separator = '\n----------------------------------------\n';
const update = process.env['UPDATE_GOLDENS'] === '1';

export interface GoldenCase {
  readonly name: string;
  readonly input: string;
  /** Compares with the file, or rewrites it. */
  readonly compare: (text: string) => void;
}

/**
 * The cases of a folder, one per file: the input, a line of dashes, and the expected output. `whole` has the whole
 * text; a `.diff` has only what differs from it, below the section it is in.
 * `UPDATE_GOLDENS=1 npx vitest run test/golden` rewrites the texts: read the diff before you commit it.
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

/** Without line numbers, which every line added above would change; the surrounding lines show the place. */
function differences(base: string, text: string): string {
  const lines = base.split('\n');
  const { hunks } = structuredPatch('', '', base, text, '', '', { context: 1 });
  const sectionAt = (line: number) => lines.slice(0, line).findLast((each) => /^[^\s}#]/.test(each));
  return hunks
    .map(({ oldStart, lines: changed }) => `@@ ${sectionAt(oldStart) ?? ''}\n${changed.join('\n')}\n`)
    .join('');
}
