import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { JournalItem } from '../../../../src/engine/observe/journal/read-journal.ts';
import { inOrder, type Moment } from '../../../../src/operate/timeline/collect.ts';
import { lineAt, momentsOf } from '../../../helpers/timeline-lines.ts';

const lineOf = (program: string, at: number, seq: number): JournalItem => ({
  kind: 'line',
  line: lineAt(at * 1_000, { program, seq }),
});
const chain = (index: number, program: string, ...seconds: readonly number[]): readonly Moment[] =>
  momentsOf(
    index,
    seconds.map((at, n) => lineOf(program, at, n + 1)),
  );
const named = (moments: readonly Moment[]) =>
  moments.map(({ item }) => (item.kind === 'line' ? `${item.line.program}${item.line.seq}` : item.kind));

test('lines from a clock set back by mistake stay at the point where it was set back', () => {
  const times = [2, 4, 6, 8, 10, 12, 3, 5, 20];
  const merged = inOrder([...chain(0, 'a', ...times), ...chain(1, 'b', 7, 13)]);
  expect(named(merged)).toEqual(['a1', 'a2', 'a3', 'b1', 'a4', 'a5', 'a6', 'a7', 'a8', 'b2', 'a9']);
  expect(chain(0, 'a', ...times).map(({ clockOffMs }) => clockOffMs)).toEqual([
    ...[0, 0, 0, 0, 0, 0],
    ...[-9_000, -7_000, 0],
  ]);
});

test('after the correction of a clock that was ahead, no later line is misplaced', () => {
  const times = [1, 3_603, 3_605, 10, 20, 30];
  const merged = inOrder([...chain(0, 'a', ...times), ...chain(1, 'b', 2, 15, 25)]);
  expect(named(merged)).toEqual(['a1', 'b1', 'a2', 'a3', 'a4', 'b2', 'a5', 'b3', 'a6']);
  expect(chain(0, 'a', ...times).map(({ clockOffMs }) => clockOffMs)).toEqual([
    ...[0, 3_593_000, 3_595_000],
    ...[0, 0, 0],
  ]);
});

test('a clock that was set back is reported only at the next line', () => {
  const back = chain(0, 'a', 100, 40, 41, 42).map(({ clockBackMs }) => clockBackMs);
  expect(back).toEqual([0, 60_000, 0, 0]);
  expect(chain(0, 'a', 1, 0.5).map(({ clockBackMs }) => clockBackMs)).toEqual([0, 0]);
});

test('a fault stays directly after the line before it', () => {
  const fault: JournalItem = { kind: 'fault', fault: { path: '/x', line: 2, problem: 'invalid' } };
  const [before, wrong, after] = momentsOf(0, [lineOf('a', 1, 1), fault, lineOf('a', 9, 3)]) as [
    Moment,
    Moment,
    Moment,
  ];
  expect(named(inOrder([after, wrong, ...chain(1, 'b', 5), before]))).toEqual(['a1', 'fault', 'b1', 'a3']);
});

test('property: every journal keeps its order, whatever the clocks do', () => {
  const clocks = fc.array(fc.integer({ min: 0, max: 50 }), { maxLength: 20 });
  fc.assert(
    fc.property(clocks, clocks, (a, b) => {
      const merged = inOrder([...chain(0, 'a', ...a), ...chain(1, 'b', ...b)]);
      const seqs = (program: number) =>
        merged.filter((each) => each.journal === program).map(({ order }) => order);
      expect(seqs(0)).toEqual(a.map((_, n) => n + 1));
      expect(seqs(1)).toEqual(b.map((_, n) => n + 1));
    }),
  );
});
