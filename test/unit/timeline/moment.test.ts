import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createPlacer, inOrder, type Moment } from '../../../src/observe/timeline/moment.ts';
import { lineAt } from '../../helpers/timeline-lines.ts';

function chain(index: number, program: string, ...seconds: readonly number[]): readonly Moment[] {
  const place = createPlacer(index);
  return seconds.map((at, n) => place({ kind: 'line', line: lineAt(at * 1_000, { program, seq: n + 1 }) }));
}
const named = (moments: readonly Moment[]) =>
  moments.map(({ item }) => (item.kind === 'line' ? `${item.line.program}${item.line.seq}` : item.kind));

test('journals are merged by their clocks, and one whose clock was set back keeps its order', () => {
  const merged = inOrder([...chain(0, 'a', 1, 5, 2, 7), ...chain(1, 'b', 3, 6)]);
  expect(named(merged)).toEqual(['a1', 'b1', 'a2', 'a3', 'b2', 'a4']);
});

test('a clock that was set back is told, at the first line behind it and not at those that follow', () => {
  const back = chain(0, 'a', 100, 40, 41, 42).map(({ clockBackMs }) => clockBackMs);
  expect(back).toEqual([0, 60_000, 0, 0]);
  expect(chain(0, 'a', 1, 0.5).map(({ clockBackMs }) => clockBackMs)).toEqual([0, 0]);
});

test('a fault stays behind the line that came before it', () => {
  const place = createPlacer(0);
  const before = place({ kind: 'line', line: lineAt(1_000) });
  const fault = place({ kind: 'fault', fault: { path: '/x', line: 2, problem: 'it is none' } });
  const after = place({ kind: 'line', line: lineAt(9_000, { seq: 3 }) });
  const other = chain(1, 'b', 5);
  expect(named(inOrder([after, fault, ...other, before]))).toEqual([
    'keepalived-supervisor1',
    'fault',
    'b1',
    'keepalived-supervisor3',
  ]);
});

test('property: whatever the clocks did, no journal is torn apart', () => {
  const clocks = fc.array(fc.integer({ min: 0, max: 50 }), { maxLength: 20 });
  fc.assert(
    fc.property(clocks, clocks, (a, b) => {
      const merged = inOrder([...chain(0, 'a', ...a), ...chain(1, 'b', ...b)]);
      const seqs = (program: number) =>
        merged.filter((each) => each.chain === program).map(({ order }) => order);
      expect(seqs(0)).toEqual(a.map((_, n) => n + 1));
      expect(seqs(1)).toEqual(b.map((_, n) => n + 1));
    }),
  );
});
