import { codeOf, messageOf } from '../system/errors.ts';
import type { CommandResult, RunCommand } from '../system/process/run-command.ts';

/** The program's verdict on a configuration file. */
export type CheckOutcome =
  | { readonly kind: 'valid' }
  /** The program read the file and would not start with it. `detail` is the end of the program's output. */
  | { readonly kind: 'invalid'; readonly message: string; readonly detail: string }
  /** No verdict: the program could not be run, or it timed out. */
  | {
      readonly kind: 'impossible';
      readonly message: string;
      /** The check runs in the supervisor, which does not answer. */
      readonly isUnreachable?: true;
    };

/** Validates the file at `path`. Rejects only if `signal` aborts. */
export type ConfigurationCheck = (path: string, signal?: AbortSignal) => Promise<CheckOutcome>;

export interface CheckProgram {
  /** Path or name of the program, for messages. */
  readonly program: string;
  readonly argv: (path: string) => readonly [string, ...string[]];
  readonly timeoutMs: number;
  /** How many characters of the program's output are kept, from its end. Default 4,000. */
  readonly detailCharacters?: number;
  /** Runs the program. The supervisor's implementation needs less memory than the monitor's. */
  readonly run: RunCommand;
  /** Reads a refusal from the result of a run. Returns undefined if the program accepted the file. */
  readonly refusal: (
    result: CommandResult,
  ) => { readonly expected: string; readonly detail: string } | undefined;
}

const DETAIL_CHARACTERS = 4_000;

/** Returns a check that runs the program itself. `name` is the program's name in messages. */
export function checkBy(
  name: string,
  { program, argv, timeoutMs, detailCharacters = DETAIL_CHARACTERS, run, refusal }: CheckProgram,
): ConfigurationCheck {
  return async (path, signal) => {
    const impossible = (what: string): CheckOutcome => ({
      kind: 'impossible',
      message: `Cannot check configuration "${path}": "${program}" ${what}, expected a verdict`,
    });
    try {
      const result = await run(argv(path), { timeoutMs, ...(signal && { signal }) });
      signal?.throwIfAborted();
      if (result.timedOut) return impossible(`did not finish within ${timeoutMs} ms`);
      if (result.exitCode === undefined)
        return impossible(`was terminated by ${result.signal ?? 'a signal'}`);
      const refused = refusal(result);
      if (refused === undefined) return { kind: 'valid' };
      const message = `Cannot use configuration "${path}": ${name} refuses it, expected ${refused.expected}`;
      return { kind: 'invalid', message, detail: refused.detail.slice(-detailCharacters) };
    } catch (error) {
      signal?.throwIfAborted();
      return impossible(`cannot be run (${codeOf(error) ?? messageOf(error)})`);
    }
  };
}
