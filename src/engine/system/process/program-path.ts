/** Index of hawser's program in a command line: `/opt/hawser/dist/hawser.mjs`, or a daemon's own bundle below that folder. */
export function programIndex(words: readonly string[]): number {
  return words.findIndex((word) => /\/(?:dist\/(?:[a-z-]+\/)?hawser\.mjs|src\/main\.ts)$/.test(word));
}

/** Path of the program with all commands; a daemon's bundle has only its own command. */
export function wholeProgram(program: string): string {
  return program.replace(/\/dist\/[a-z-]+\/hawser\.mjs$/, '/dist/hawser.mjs');
}
