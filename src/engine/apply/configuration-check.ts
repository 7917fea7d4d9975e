import { codeOf, messageOf } from '../system/errors.ts';
import type { CommandResult, RunCommand } from '../system/process/run-command.ts';

/** What the program itself says about a configuration file. */
export type CheckOutcome =
  | { readonly kind: 'valid' }
  /** It read the file and would not start with it. `detail` holds its own last words. */
  | { readonly kind: 'invalid'; readonly message: string; readonly detail: string }
  /** Nothing is known about the file: the program could not be run, or was not done in time. */
  | {
      readonly kind: 'impossible';
      readonly message: string;
      /** The supervisor was to check it, and does not answer. */
      readonly isUnreachable?: true;
    };

/** Rejects only when `signal` stops it. */
export type ConfigurationCheck = (path: string, signal?: AbortSignal) => Promise<CheckOutcome>;

export interface CheckProgram {
  /** The path of the program, and what it is to do with a file. */
  readonly program: string;
  readonly argv: (path: string) => readonly [string, ...string[]];
  readonly timeoutMs: number;
  /** How many of its last words are kept: 4,000 unless more is needed than people read. */
  readonly detailCharacters?: number;
  /** Starts programs: that of a supervisor needs less memory than that of a monitor. */
  readonly run: RunCommand;
  /** Why it refuses the file, by how it ended. */
  readonly refusal: (
    result: CommandResult,
  ) => { readonly expected: string; readonly detail: string } | undefined;
}

const DETAIL_CHARACTERS = 4_000;

/** Asks the program itself. `name` is for people. */
export function checkBy(
  name: string,
  { program, argv, timeoutMs, detailCharacters = DETAIL_CHARACTERS, run, refusal }: CheckProgram,
): ConfigurationCheck {
  return async (path, signal) => {
    const impossible = (what: string): CheckOutcome => ({
      kind: 'impossible',
      message: `Cannot check configuration "${path}": "${program}" ${what}, expected its verdict`,
    });
    try {
      const result = await run(argv(path), { timeoutMs, ...(signal && { signal }) });
      signal?.throwIfAborted();
      if (result.timedOut) return impossible(`was not done after ${timeoutMs} ms`);
      if (result.exitCode === undefined) return impossible(`was ended by ${result.signal ?? 'a signal'}`);
      const found = refusal(result);
      if (found === undefined) return { kind: 'valid' };
      const message = `Cannot use configuration "${path}": ${name} refuses it, expected ${found.expected}`;
      return { kind: 'invalid', message, detail: found.detail.slice(-detailCharacters) };
    } catch (error) {
      signal?.throwIfAborted();
      return impossible(`cannot be run (${codeOf(error) ?? messageOf(error)})`);
    }
  };
}
