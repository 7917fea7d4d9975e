import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The commands of a fenced `sh` block, and where to type them, from the comment on its first line. */
export interface CommandBlock {
  readonly where: string;
  readonly commands: readonly string[];
}

const root = join(import.meta.dirname, '../../..');

/**
 * The command blocks of a document, or of the section below one of its headings. Throws if the heading is missing, or
 * if a block does not say where to type its commands.
 */
export function commandBlocks(path: string, heading?: string): readonly CommandBlock[] {
  const parts = partsOf(readFileSync(join(root, path), 'utf8'));
  const wanted = parts.filter((part) => heading === undefined || part.heading === heading);
  if (wanted.length === 0) throw new Error(`Cannot read ${path}: expected a heading "${heading}"`);
  return wanted.flatMap(({ blocks }) => blocks.map((block) => parseBlock(path, block)));
}

interface Part {
  readonly heading: string;
  /** Lines of the fenced shell blocks. */
  readonly blocks: string[][];
}

function partsOf(text: string): readonly Part[] {
  const parts: Part[] = [{ heading: '', blocks: [] }];
  let fence: string[] | undefined;
  for (const line of text.split('\n')) {
    if (line.startsWith('```')) {
      const isOpening = fence === undefined;
      fence = isOpening ? [] : undefined;
      if (fence !== undefined && line === '```sh') parts.at(-1)?.blocks.push(fence);
    } else if (fence !== undefined) fence.push(line);
    // Inside a block this would be a comment.
    else if (/^#+ /.test(line)) parts.push({ heading: line, blocks: [] });
  }
  return parts;
}

function parseBlock(path: string, [first = '', ...commands]: readonly string[]): CommandBlock {
  const [, where] = /^# (.+)$/.exec(first) ?? [];
  if (where === undefined)
    throw new Error(
      `Cannot read ${path}: a block begins with "${first}", expected a comment that says where it is typed`,
    );
  return { where, commands };
}
