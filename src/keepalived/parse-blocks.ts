/** A line of keepalived.conf, and the content of the braces after it. */
export interface Block {
  readonly words: readonly string[];
  readonly children: Block[];
}

/** Parses keepalived.conf line by line. A brace may be at the end of a line or alone on one. */
export function parseBlocks(text: string): readonly Block[] {
  const root: Block[] = [];
  const open: Block[][] = [root];
  for (const line of text.split('\n')) {
    let words: string[] = [];
    let last: Block[] | undefined;
    const flush = (): void => {
      if (words.length === 0) return;
      last = [];
      open.at(-1)?.push({ words, children: last });
      words = [];
    };
    for (const token of tokensOf(line)) {
      if (token === '{') {
        flush();
        open.push(last ?? childrenOfLast(open.at(-1)));
      } else if (token === '}') {
        flush();
        if (open.length > 1) open.pop();
      } else words.push(unquoted(token));
    }
    flush();
  }
  return root;
}

/** A brace on a line of its own belongs to the previous line. */
function childrenOfLast(blocks: Block[] | undefined): Block[] {
  const before = blocks?.at(-1);
  return before === undefined ? [] : before.children;
}

function tokensOf(line: string): readonly string[] {
  return line.match(/"[^"]*"|[#!].*|[{}]|[^\s{}"]+/g)?.filter((token) => !/^[#!]/.test(token)) ?? [];
}

function unquoted(token: string): string {
  return token.replace(/^"(.*)"$/, '$1');
}

/** The second word of the first line that begins with `key`. */
export function wordAfter(blocks: readonly Block[], key: string): string | undefined {
  return blocks.find(({ words }) => words[0] === key)?.words[1];
}

/** The same as a number; `otherwise` if the line is missing or its value is not a number. */
export function numberAfter(blocks: readonly Block[], key: string, otherwise: number): number {
  return numberIn(wordAfter(blocks, key), otherwise);
}

export function numberIn(word: string | undefined, otherwise: number): number {
  const value = Number(word);
  return Number.isFinite(value) ? value : otherwise;
}

/** The first words of the lines in a block such as `track_file { … }`. */
export function namesIn(children: readonly Block[], block: string): readonly string[] {
  const lines = children.filter(({ words }) => words[0] === block).flatMap((each) => each.children);
  return lines.flatMap(({ words }) => words[0] ?? []);
}
