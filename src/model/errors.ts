/** Every problem of a set of settings at once, so that one run of a command is enough to see all of them. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  readonly problems: readonly string[];

  constructor(problems: readonly string[], options?: ErrorOptions) {
    super(problems.join('\n'), options);
    this.problems = problems;
  }
}

/** A program that we ran did not do what it was asked. `stderrTail` holds its own last words. */
export class CommandError extends Error {
  override readonly name = 'CommandError';
  readonly argv: readonly string[];
  readonly exitCode: number | undefined;
  readonly signal: string | undefined;
  readonly stderrTail: string;

  constructor(
    argv: readonly string[],
    result: { readonly exitCode?: number; readonly signal?: string; readonly stderrTail: string },
    options?: ErrorOptions,
  ) {
    const how =
      result.signal === undefined ? `exit code ${result.exitCode ?? 'unknown'}` : `signal ${result.signal}`;
    super(`Cannot run "${argv.join(' ')}": ${how}, expected exit code 0`, options);
    this.argv = argv;
    this.exitCode = result.exitCode;
    this.signal = result.signal;
    this.stderrTail = result.stderrTail;
  }
}

/** The message of anything that was thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** The `code` of a Node system error (`ENOENT`, `ECONNREFUSED`), undefined for anything else. */
export function codeOf(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}
