import { expect, test } from 'vitest';
import type { ApplyOutcome } from '../../../../src/engine/apply/apply-outcome.ts';
import type { Rendered } from '../../../../src/engine/apply/file-set.ts';
import { createReloadPace } from '../../../../src/engine/monitor/reload-pace.ts';

const reloaded = { kind: 'reloaded', tookMs: 300 } as const;
const told = { ...reloaded, atRunTime: true } as const;

/** Configurations are words of two letters: a new first letter needs a reload, a new second one is a runtime update. */
const wordOf = (text: string) => ({ input: text, rendered: { text, mode: 0o644 } });

function paced() {
  const clock = { nowMs: 0 };
  const kindOf = (served: Rendered | undefined, { text }: Rendered) => {
    if (served?.text[0] !== text[0]) return 'reload';
    return served?.text === text ? 'nothing' : 'runtime';
  };
  const pace = createReloadPace<string>({
    ...{ intervalMs: 5_000, nowMs: () => clock.nowMs },
    difference: (served, wanted) => ({ kind: kindOf(served, wanted) }),
    partly: async (served, wanted) => wordOf(`${served.input[0]}${wanted.input[1]}`),
  });
  return {
    ...{ clock, pace },
    turn: async (text: string) => {
      const { now, laterMs } = await pace.turn(wordOf(text));
      return [now?.input, laterMs];
    },
    note: (text: string, outcome: ApplyOutcome, startMs: number, isPart = false) =>
      pace.note(outcome, wordOf(text), { startMs, isPart }),
  };
}

test('the first change waits for nothing, the next one for the interval, and what is served already not at all', async () => {
  const { clock, pace, turn, note } = paced();
  clock.nowMs = 1_000;
  expect([await turn('aa'), pace.hasServed()]).toEqual([['aa', 0], false]);
  note('aa', reloaded, 700);
  clock.nowMs = 2_000;
  expect([await turn('ba'), await turn('aa'), pace.hasServed()]).toEqual([
    [undefined, 3_700],
    ['aa', 0],
    true,
  ]);
  clock.nowMs = 5_700;
  expect(await turn('ba')).toEqual(['ba', 0]);
});

test('a refused configuration leaves the router as ready as it was, and costs no interval', async () => {
  const { clock, pace, turn, note } = paced();
  clock.nowMs = 9_000;
  note('aa', { kind: 'unchanged' }, 9_000);
  note('ba', { kind: 'rejected', by: 'check', message: '', detail: '' }, 9_000);
  expect([pace.hasServed(), await turn('ca')]).toEqual([true, ['ca', 0]]);
});

test.each(['check', 'reload'] as const)(
  'while a %s refuses a configuration, its runtime updates are applied before each attempt',
  async (by) => {
    const { clock, turn, note } = paced();
    note('aa', reloaded, 0);
    clock.nowMs = 60_000;
    note('ba', { kind: 'rejected', by, message: '', detail: '' }, 50_000);
    expect(await turn('bb')).toEqual(['ab', 1]);
    note('ab', told, 60_000, true);
    expect(await turn('bb')).toEqual(['bb', 0]);
    note('bb', { kind: 'rejected', by, message: '', detail: '' }, 60_000);
    expect(await turn('ac')).toEqual(['ac', 0]);
    note('ac', told, 60_000);
    clock.nowMs = 66_000;
    expect(await turn('bd')).toEqual(['bd', 0]);
  },
);

test('a validation that could not run holds no runtime update back', async () => {
  const { clock, pace, turn, note } = paced();
  note('aa', reloaded, 0);
  clock.nowMs = 1_000;
  note('ab', { ...told, isUnchecked: true }, 1_000);
  const outcome = { kind: 'failed', message: 'spawn EAGAIN' } as const;
  pace.note(outcome, wordOf('ab'), { startMs: 1_000, isPart: false, isCheck: true });
  expect([await turn('ab'), await turn('ac')]).toEqual([
    ['ab', 0],
    ['ac', 0],
  ]);
});

test('a reload that failed counts from its start, as one that was made does', async () => {
  const { clock, turn, note } = paced();
  clock.nowMs = 9_000;
  note('aa', { kind: 'rejected', by: 'reload', message: '', detail: '' }, 5_000);
  expect(await turn('ba')).toEqual([undefined, 1_000]);
});

test('runtime updates pass while a reload is rate-limited, and do not postpone it', async () => {
  const { clock, turn, note } = paced();
  clock.nowMs = 300;
  note('aa', reloaded, 0);
  clock.nowMs = 1_000;
  expect(await turn('bb')).toEqual(['ab', 4_000]);
  note('ab', told, 1_000, true);
  clock.nowMs = 2_000;
  expect([await turn('cb'), await turn('cc')]).toEqual([
    [undefined, 3_000],
    ['ac', 3_000],
  ]);
  note('ac', told, 2_000, true);
  clock.nowMs = 5_000;
  expect(await turn('cc')).toEqual(['cc', 0]);
});

test('a part for which HAProxy was reloaded is the last one before the rest is served', async () => {
  const { clock, turn, note } = paced();
  clock.nowMs = 300;
  note('aa', reloaded, 0);
  clock.nowMs = 1_000;
  expect(await turn('bb')).toEqual(['ab', 4_000]);
  note('ab', { ...reloaded, what: 'refused' }, 1_000, true);
  expect(await turn('bc')).toEqual([undefined, 4_700]);
  clock.nowMs = 5_700;
  expect(await turn('bc')).toEqual(['bc', 0]);
  note('bc', reloaded, 5_700);
  expect(await turn('cd')).toEqual(['bd', 4_700]);
});

test('nothing is applied in part where it is not known what HAProxy has', async () => {
  const { clock, turn, note } = paced();
  clock.nowMs = 300;
  note('aa', reloaded, 0);
  clock.nowMs = 1_000;
  note('ab', { kind: 'unreachable', message: '' }, 1_000, true);
  expect(await turn('bb')).toEqual([undefined, 4_000]);
});

test('after a refused runtime update the previous configuration is served again, and its reload counts', async () => {
  const { clock, turn, note } = paced();
  note('aa', reloaded, 0);
  clock.nowMs = 9_000;
  note('ab', { ...told, isUnchecked: true }, 9_000);
  note('ac', { ...told, isUnchecked: true }, 9_000);
  const refused = { kind: 'rejected', by: 'check', message: '', detail: '', back: reloaded } as const;
  note('ac', refused, 9_000);
  expect([await turn('ab'), await turn('bb')]).toEqual([
    ['ab', 0],
    ['ab', 4_700],
  ]);
  note('ab', { ...told, isUnchecked: true }, 9_000);
  note('ab', { kind: 'unchanged' }, 9_000);
  note('ac', { ...told, isUnchecked: true }, 9_000);
  note('ac', refused, 9_000);
  expect(await turn('ba')).toEqual(['aa', 4_700]);
});

test('after a failed reload to a restored configuration, what is served is unknown', async () => {
  const { turn, note } = paced();
  note('aa', reloaded, 0);
  note('ab', { ...told, isUnchecked: true }, 0);
  const back = { kind: 'unreachable', message: '' } as const;
  note('ab', { kind: 'rejected', by: 'check', message: '', detail: '', back }, 0);
  expect(await turn('ac')).toEqual([undefined, 4_700]);
});

test('many changes that need no reload are made in steps, and the next one follows at once', async () => {
  const pace = createReloadPace<string>({
    ...{ intervalMs: 5_000, nowMs: () => 9_000 },
    difference: (served, { text }) => ({ kind: served?.text[0] === text[0] ? 'runtime' : 'reload' }),
    smallerStep: async (served, wanted) =>
      served.input[1] === 'a' ? wordOf(`${wanted.input[0]}b`) : undefined,
  });
  pace.note({ kind: 'unchanged' }, wordOf('aa'), { startMs: 0, isPart: false });
  expect(await pace.turn(wordOf('ac'))).toEqual({ now: wordOf('ab'), laterMs: 1 });
  // A reload brings all of it.
  expect(await pace.turn(wordOf('bc'))).toEqual({ now: wordOf('bc'), laterMs: 0 });
  pace.note(told, wordOf('ab'), { startMs: 9_000, isPart: true });
  expect(await pace.turn(wordOf('ac'))).toEqual({ now: wordOf('ac'), laterMs: 0 });
});
