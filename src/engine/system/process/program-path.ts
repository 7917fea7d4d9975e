/** Index of hawser's program in a command line: `/opt/hawser/dist/hawser.mjs`, or a daemon's own bundle below it. */
export function programIndex(words: readonly string[]): number {
  return words.findIndex((word) => /\/(?:dist\/(?:[a-z-]+\/)?hawser\.mjs|src\/main\.ts)$/.test(word));
}

/** The program with all commands: a daemon's bundle has only its own. */
export function wholeProgram(program: string): string {
  return program.replace(/\/dist\/[a-z-]+\/hawser\.mjs$/, '/dist/hawser.mjs');
}
