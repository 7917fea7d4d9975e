/** Quotes a word so that bash and zsh take it literally. */
export function singleQuoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
