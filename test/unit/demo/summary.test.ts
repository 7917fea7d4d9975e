import { expect, it } from 'vitest';
import { steps } from '../../../scripts/demo/steps.ts';
import { renderSummary, type StepResult } from '../../../scripts/demo/summary.ts';
import { COLUMNS } from '../../../scripts/demo/view-parts.ts';

const result: StepResult = {
  title: 'cp-2 is killed',
  outcome: 'others serve, then it is DOWN',
  tookMs: 5_234,
  counts: { ok: 304, cut: 3, lost: 1 },
};

it('has a line for each step and the sums of all', () => {
  const lines = renderSummary([result, result], []);
  expect(lines[1]).toMatch(/^cp-2 is killed +others serve, then it is DOWN +5\.2 s +304 +3 +1$/);
  expect(lines[3]).toMatch(/^ +608 +6 +2$/);
});

it('fits into 80 columns with every step of the round', () => {
  const lines = renderSummary(
    steps.map(({ title }) => ({ ...result, title })),
    [],
  );
  expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(COLUMNS);
});
