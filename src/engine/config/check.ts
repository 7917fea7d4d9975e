import { codeOf, messageOf } from '../system/errors.ts';
import type { CommandResult, RunCommand } from '../system/process/run-command.ts';

/** A program's own verdict on a configuration file. */
export type CheckOutcome =
  | { readonly kind: 'valid' }
  /** It read the file and would not start with it. `detail`: the end of its output. */
  | { readonly kind: 'invalid'; readonly message: string; readonly detail: string }
  /** No verdict: the program could not be run, or timed out. */
  | {
      readonly kind: 'impossible';
      readonly message: string;
      /** The supervisor should have validated it, but does not answer. */
      readonly isUnreachable?: true;
    };

/** Rejects only when `signal` aborts. */
export type ConfigurationCheck = (path: string, signal?: AbortSignal) => Promise<CheckOutcome>;

export interface CheckProgram {
  /** The path of the program, and its arguments for a file. */
  readonly program: string;
  readonly argv: (path: string) => readonly [string, ...string[]];
  readonly timeoutMs: number;
  /** Characters of its output that are kept: 4,000 unless a program needs more. */
  readonly detailCharacters?: number;
  /** Runs programs: a supervisor's needs less memory than a monitor's. */
  readonly run: RunCommand;
  /** Why it refused the file, from its result. */
  readonly refusal: (
    result: CommandResult,
  ) => { readonly expected: string; readonly detail: string } | undefined;
}

const DETAIL_CHARACTERS = 4_000;

/** Validates with the program itself. `name` is for messages. */
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
