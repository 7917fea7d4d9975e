/** Where hawser's program is among the words of a command line: `/opt/hawser/dist/hawser.mjs`, or a daemon's own bundle below it. */
export function programIndex(words: readonly string[]): number {
  return words.findIndex((word) => /\/(?:dist\/(?:[a-z-]+\/)?hawser\.mjs|src\/main\.ts)$/.test(word));
}

/** The program that knows every command: a daemon runs from a bundle that knows only its own. */
export function wholeProgram(program: string): string {
  return program.replace(/\/dist\/[a-z-]+\/hawser\.mjs$/, '/dist/hawser.mjs');
}
