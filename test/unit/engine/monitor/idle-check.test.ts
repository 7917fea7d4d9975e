import { expect, test } from 'vitest';
import type { ApplyOutcome } from '../../../../src/engine/apply/apply-outcome.ts';
import { runConfigurationLoop } from '../../../../src/engine/monitor/configuration-loop.ts';
import { createWake } from '../../../../src/engine/system/time/wake.ts';
import { waitFor } from '../../../helpers/wait-for.ts';

const told = { kind: 'reloaded', atRunTime: true, isUnchecked: true } as const;
const refused = { kind: 'rejected', by: 'check', message: 'no', detail: '' } as const;

/** A loop over configurations that are words. A check goes on until it is ended by its verdict, or gives way to any word with an `!`. */
function running() {
  const steps: string[] = [];
  const observed: string[] = [];
  const stop = new AbortController();
  const wake = createWake();
  let wanted = 'a';
  let aheadMs = 0;
  let pending: PromiseWithResolvers<ApplyOutcome | undefined> | undefined;
  const want = (word: string): void => {
    wanted = word;
    wake.poke();
  };
  const ended = runConfigurationLoop(
    {
      ...{ wake, checkIntervalMs: 60_000, beat: () => undefined, now: () => performance.now() + aheadMs },
      next: async () => ({ input: wanted, lookAgainInMs: undefined }),
      render: async (text) => {
        steps.push(`render ${text}`);
        return { kind: 'rendered', rendered: { text, mode: 0o644 } };
      },
      applier: {
        apply: async ({ text }) => {
          steps.push(`apply ${text}`);
          return told;
        },
        settle: () => {
          const current = Promise.withResolvers<ApplyOutcome | undefined>();
          pending = current;
          const checked = wanted;
          steps.push(`check ${checked}`);
          const giveWayTo = ({ text }: { readonly text: string }): boolean => {
            const gives = text.endsWith('!') && text !== checked;
            if (gives) current.resolve(undefined);
            return gives;
          };
          stop.signal.addEventListener('abort', () => current.resolve(undefined));
          return { outcome: current.promise, giveWayTo };
        },
        retryRejected: () => undefined,
      },
      observe: ({ kind }, input, _rendered, { isCheck }) => {
        observed.push(`${input} ${kind}${isCheck ? ' by check' : ''}`);
        if (kind === 'rejected') want('d!');
      },
    },
    stop.signal,
  );
  wake.poke();
  const takes = (step: string) => waitFor(step, () => steps.includes(step));
  return {
    ...{ steps, observed, want, takes },
    /** So many milliseconds later. */
    pass: (ms: number) => {
      aheadMs += ms;
      wake.poke();
    },
    decide: (outcome: ApplyOutcome | undefined) => pending?.resolve(outcome),
    end: async () => {
      stop.abort();
      await ended;
    },
  };
}

test('a runtime update does not wait for the validation of the previous file', async () => {
  const { observed, want, takes, pass, decide, end } = running();
  await takes('check a');
  want('b!');
  await takes('apply b!');
  pass(10_000);
  await takes('check b!');
  decide({ kind: 'unchanged' });
  await waitFor('the verdict', () => observed.length >= 3);
  expect(observed.slice(0, 3)).toEqual(['a reloaded', 'b! reloaded', 'b! unchanged by check']);
  await end();
});

test('of the runtime updates in ten seconds, the first is validated at once, and then only the last', async () => {
  const { steps, want, takes, pass, decide, end } = running();
  await takes('check a');
  decide({ kind: 'unchanged' });
  for (const word of ['b!', 'c!', 'd!']) {
    want(word);
    await takes(`apply ${word}`);
    pass(3_000);
  }
  pass(1_000);
  await takes('check d!');
  expect(steps.filter((step) => step.startsWith('check'))).toEqual(['check a', 'check d!']);
  await end();
});

test('what waits for validation is applied after the verdict, and rebuilt after a refusal', async () => {
  const { steps, observed, want, takes, decide, end } = running();
  await takes('check a');
  want('c');
  await takes('render c');
  expect(steps).not.toContain('apply c');
  decide(refused);
  await takes('apply d!');
  expect(observed.slice(0, 2)).toEqual(['a reloaded', 'a rejected by check']);
  expect(steps).not.toContain('apply c');
  await end();
});

test('what waits for validation is applied if that ends without a verdict', async () => {
  const { want, takes, decide, end } = running();
  await takes('check a');
  want('c');
  await takes('render c');
  decide(undefined);
  await takes('apply c');
  await end();
});
