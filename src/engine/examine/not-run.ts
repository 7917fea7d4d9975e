import { type Finding, unknown } from './check.ts';
import type { ProgramOutcome } from './run-program.ts';

/** A program that is missing here may be in its pod's image. */
export function notRun(outcome: Exclude<ProgramOutcome, { kind: 'ran' }>, flag: string): Finding {
  return outcome.kind === 'missing'
    ? unknown(outcome.message, `ask inside its pod (crictl exec), or name the program: ${flag} PATH`)
    : unknown(outcome.message, 'try again');
}
