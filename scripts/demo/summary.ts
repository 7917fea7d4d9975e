import type { Counts } from './tally.ts';
import { seconds } from './view-parts.ts';

/** One finished step of a round. */
export interface StepResult {
  readonly title: string;
  /** hawser's reaction. */
  readonly outcome: string;
  /** Time from the change until HAProxy served accordingly. */
  readonly tookMs: number;
  readonly counts: Counts;
}

const WIDTHS = [26, 29];

/** The table at the end of a round, followed by `legend`, which explains its columns. */
export function renderSummary(results: readonly StepResult[], legend: readonly string[]): readonly string[] {
  const total = results.reduce(
    (sum, { counts }) => ({
      ok: sum.ok + counts.ok,
      cut: sum.cut + counts.cut,
      lost: sum.lost + counts.lost,
    }),
    { ok: 0, cut: 0, lost: 0 },
  );
  return [
    line('WHAT WAS DONE', 'WHAT HAWSER DID', 'TOOK', { ok: 'OK', cut: 'CUT', lost: 'LOST' }),
    ...results.map(({ title, outcome, tookMs, counts }) => line(title, outcome, seconds(tookMs), counts)),
    line('', '', '', total),
    '',
    ...legend,
  ];
}

function line(
  title: string,
  outcome: string,
  took: string,
  counts: Readonly<Record<keyof Counts, number | string>>,
): string {
  const [first = 0, second = 0] = WIDTHS;
  const numbers = [took.padStart(6), pad(counts.ok, 5), pad(counts.cut, 4), pad(counts.lost, 5)];
  return `${title.padEnd(first)} ${outcome.padEnd(second)} ${numbers.join(' ')}`;
}

function pad(value: number | string, width: number): string {
  return String(value).padStart(width);
}
