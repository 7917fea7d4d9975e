/** A word that bash and zsh read as it stands, whatever is in it. */
export function singleQuoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
