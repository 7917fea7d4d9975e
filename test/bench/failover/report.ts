import { type Spread, spreadOf } from '../reload/figures.ts';
import type { FailoverTarget, Fault, Measured, Metric } from './fault.ts';
import { metrics } from './fault.ts';
import type { Subject } from './subject.ts';

/** The minimum a reader needs from several measurements. */
export interface Summary {
  readonly median: number;
  readonly max: number;
  readonly n: number;
}

/** The figures of the headline and of every metric. `failed` trials could not be measured at all. */
export interface SubjectResult extends Partial<Summary> {
  readonly failed: number;
  readonly metrics: Readonly<Partial<Record<Metric, Summary>>>;
  /** In order, to show in how many trials something happened, and in which. */
  readonly trials: readonly Measured[];
}

export type FaultResult = Readonly<Partial<Record<Subject, SubjectResult>>>;

export function summarize(fault: Fault, trials: readonly Measured[], failed: number): SubjectResult {
  const summaries = Object.fromEntries(
    metrics.flatMap((metric) => {
      const spread = spreadOf(trials.map((trial) => trial[metric]).filter((value) => value !== undefined));
      return spread === null ? [] : [[metric, summaryOf(spread)] as const];
    }),
  );
  return { ...summaries[fault.headline], failed, metrics: summaries, trials };
}

/** Also false without a measurement: an unmeasured promise is treated as broken. */
export function isMet(result: SubjectResult, metric: Metric, target: FailoverTarget): boolean {
  const summary = result.metrics[metric];
  return result.failed === 0 && summary !== undefined && summary[target.of] <= target.atMost;
}

export function missedTargets(fault: Fault, result: FaultResult): readonly string[] {
  const { hawser } = result;
  if (hawser === undefined) return [];
  return metrics.filter((metric) => {
    const target = fault.targets[metric];
    return target !== undefined && !isMet(hawser, metric, target);
  });
}

function summaryOf({ median, max, count }: Spread): Summary {
  const round = (value: number) => Math.round(value * 10) / 10;
  return { median: round(median), max: round(max), n: count };
}
