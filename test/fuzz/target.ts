import fc from 'fast-check';
import { messageOf } from '../../src/engine/system/errors.ts';

/** Something that is given hostile input, and what must hold for it. */
export interface Target {
  readonly name: string;
  /** What must hold, for people. */
  readonly claim: string;
  /** How many cases of a cheap target one of this costs: a real program that judges takes its time. */
  readonly cost: number;
  readonly open: () => Promise<OpenTarget>;
}

export interface OpenTarget extends AsyncDisposable {
  readonly attack: Attack;
}

/** The same seed gives the same cases. */
export type Attack = (parameters: { readonly numRuns: number; readonly seed: number }) => Promise<Found>;

export type Found =
  | { readonly kind: 'held'; readonly cases: number }
  /** `report` has the smallest case that fails. */
  | { readonly kind: 'failed'; readonly cases: number; readonly report: string };

/** `check` throws where the claim does not hold for this input. */
export function attackWith<T>(input: fc.Arbitrary<T>, check: (input: T) => void | Promise<void>): Attack {
  return async (parameters) => {
    const details = await fc.check(
      fc.asyncProperty(input, async (value) => await check(value)),
      parameters,
    );
    const cases = details.numRuns;
    if (!details.failed) return { kind: 'held', cases };
    const report = (await fc.asyncDefaultReportMessage(details)) ?? 'no report';
    return { kind: 'failed', cases, report: `${report}\n${messageOf(details.errorInstance)}` };
  };
}

/** For a target that needs nothing around it. */
export function withoutWorld(attack: Attack): Target['open'] {
  return async () => ({ attack, [Symbol.asyncDispose]: async () => {} });
}

/** Gives the target its share of `cases`, at least one. */
export async function runTarget(target: Target, cases: number, seed: number): Promise<Found> {
  await using open = await target.open();
  return await open.attack({ numRuns: Math.max(1, Math.round(cases / target.cost)), seed });
}
