import { codeOf, messageOf } from '../system/errors.ts';
import type { RunCommand } from '../system/process/run-command.ts';
import { type Finding, unknown } from './check.ts';

export type ProgramOutcome =
  | { readonly kind: 'ran'; readonly exitCode: number; readonly stdout: string; readonly stderr: string }
  | { readonly kind: 'missing'; readonly message: string }
  | { readonly kind: 'late'; readonly message: string };

/** Runs a program to its end. Never throws; failure is a value. */
export type RunProgram = (
  argv: readonly [string, ...string[]],
  signal: AbortSignal,
) => Promise<ProgramOutcome>;

/** Runs programs with this limit for each. */
export function programRunner(run: RunCommand, timeoutMs: number): RunProgram {
  return async (argv, signal) => {
    const shown = argv.join(' ');
    try {
      const { exitCode, stdout, stderr } = await run(argv, { timeoutMs, signal });
      if (exitCode === undefined)
        return { kind: 'late', message: `"${shown}" was not done after ${timeoutMs} ms` };
      return { kind: 'ran', exitCode, stdout, stderr };
    } catch (error) {
      if (signal.aborted) return { kind: 'late', message: `"${shown}" was stopped` };
      const what = codeOf(error) === 'ENOENT' ? 'it is not installed' : messageOf(error);
      return { kind: 'missing', message: `"${argv[0]}" cannot be run: ${what}` };
    }
  };
}

/** The last line that a program wrote about its failure. */
export function lastWords({ stderr, stdout }: { readonly stderr: string; readonly stdout: string }): string {
  return (stderr.trim() || stdout.trim()).split('\n').at(-1) ?? '';
}

/** A program that is missing here may be in its pod's image. */
export function notRun(outcome: Exclude<ProgramOutcome, { kind: 'ran' }>, flag: string): Finding {
  return outcome.kind === 'missing'
    ? unknown(outcome.message, `run it in its pod (crictl exec), or set the path: ${flag} PATH`)
    : unknown(outcome.message, 'try again');
}
