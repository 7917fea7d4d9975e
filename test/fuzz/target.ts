import fc from 'fast-check';
import { messageOf } from '../../src/engine/system/errors.ts';

/** Code that is fed hostile input, with the claim that must hold for it. */
export interface Target {
  readonly name: string;
  /** What must hold, in plain words. */
  readonly claim: string;
  readonly open: () => Promise<OpenTarget>;
}

export interface OpenTarget extends AsyncDisposable {
  readonly attack: Attack;
}

/** The same seed gives the same cases. */
export type Attack = (parameters: { readonly numRuns: number; readonly seed: number }) => Promise<Found>;

export type Found =
  | { readonly kind: 'held'; readonly cases: number }
  /** `report` contains the smallest failing case. */
  | { readonly kind: 'failed'; readonly cases: number; readonly report: string };

/** `check` throws if the claim does not hold for this input. */
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

/** Judges many cases in one run of a program: starting it costs more than reading a larger file. */
export interface Together<T, Part> {
  /** What the program gets for a case; undefined for nothing. Throws if the claim already fails. */
  readonly prepare: (input: T) => Part | undefined;
  /** Throws unless the program accepts all of them side by side. */
  readonly judge: (parts: readonly Part[]) => Promise<void>;
  readonly atOnce: number;
}

/** If the program rejects a batch, each case is tried alone, so that the report names a single case. */
export function attackTogether<T, Part>(
  input: fc.Arbitrary<T>,
  { prepare, judge, atOnce }: Together<T, Part>,
): Attack {
  const alone = attackWith(input, async (value) => {
    const part = prepare(value);
    if (part !== undefined) await judge([part]);
  });
  return async ({ numRuns, seed }) => {
    for (let done = 0; done < numRuns; done += atOnce) {
      const parameters = { numRuns: Math.min(atOnce, numRuns - done), seed: Math.imul(seed, PRIME) + done };
      try {
        const parts = fc.sample(input, parameters).map(prepare);
        await judge(parts.filter((part) => part !== undefined));
      } catch (error) {
        const found = await alone(parameters);
        const cases = done + found.cases;
        if (found.kind === 'failed') return { ...found, cases };
        return { kind: 'failed', cases, report: `only side by side: ${messageOf(error)}` };
      }
    }
    return { kind: 'held', cases: numRuns };
  };
}

/** Keeps consecutive seeds from having cases in common. */
const PRIME = 1_000_003;

/** For a target that needs no environment. */
export function withoutWorld(attack: Attack): Target['open'] {
  return async () => ({ attack, [Symbol.asyncDispose]: async () => {} });
}

export async function runTarget(target: Target, cases: number, seed: number): Promise<Found> {
  await using open = await target.open();
  return await open.attack({ numRuns: cases, seed });
}
