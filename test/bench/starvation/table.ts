import { type ArmPlan, nameOf, shares } from './arm.ts';
import type { Lag } from './lag.ts';
import type { Stretches, Tally } from './tally.ts';

export interface ArmResult {
  readonly plan: ArmPlan;
  readonly tally: Tally;
}

const widths = [20, 6, 16, 16, 16, 8, 6, 8] as const;

/** One line an arm; stretches as "count / longest ms". */
export function formatArms(results: readonly ArmResult[]): string {
  const heading = [
    ...['adverts, keepalived', 'moves', 'two holders', 'no holder'],
    ...['keepalived late', 'health', 'hung', 'silent'],
  ];
  return [row(heading), '-'.repeat(100), ...results.map(formatArm)].join('\n');
}

function formatArm({ plan, tally }: ArmResult): string {
  const { count, longestMs } = tally.keepalivedLate;
  return row([
    nameOf(plan),
    String(tally.moves),
    formatStretches(tally.twoHolders),
    formatStretches(tally.noHolder),
    `${count} / ${longestMs} ms`,
    ...[tally.healthDoubts, tally.takenForHung, tally.monitorsMissed].map(String),
  ]);
}

function formatStretches({ count, longestMs }: Stretches): string {
  return count === 0 ? '-' : `${count} / ${longestMs} ms`;
}

/** In milliseconds. */
export function formatLags(lags: Readonly<Record<string, Lag>>): string {
  return Object.entries(lags)
    .map(
      ([who, { p50, p99, p999, max }]) =>
        `woken late, ${who}: median ${p50}, 99 % ${p99}, 99.9 % ${p999}, most ${max} ms`,
    )
    .join('\n');
}

/** The smallest interval that needed no false take-over, for each kind of arm. */
export function formatVerdict(results: readonly ArmResult[]): string {
  return shares
    .map((share) => {
      const alike = results.filter(({ plan }) => plan.share === share && !plan.whole);
      const moved = Math.max(
        0,
        ...alike.flatMap(({ plan, tally }) => (tally.moves > 0 ? plan.advertMs : [])),
      );
      const calm = alike.map(({ plan }) => plan.advertMs).filter((advertMs) => advertMs > moved);
      const verdict = calm.length === 0 ? 'at none of these intervals' : `from ${Math.min(...calm)} ms on`;
      return `no false take-over, ${share}: ${verdict}`;
    })
    .join('\n');
}

function row(cells: readonly string[]): string {
  return cells
    .map((cell, index) => cell.padEnd(widths[index] ?? 0))
    .join(' ')
    .trimEnd();
}
