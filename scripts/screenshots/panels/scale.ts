import { STEP_MS } from './prometheus.ts';

export interface Scale {
  readonly bottom: number;
  readonly top: number;
  /** From the bottom up. */
  readonly ticks: readonly number[];
}

/** Round ticks around 0, all values and `reach`; never of no height. */
export function scaleFor(values: readonly number[], unit: string, reach = 0): Scale {
  const low = Math.min(0, ...values);
  const highest = Math.max(reach, ...values);
  const high = highest > low ? highest : low + 1;
  const { seconds } = spanFor(unit === 's' ? high : 0);
  const step = roundStep((high - low) / seconds / 3) * seconds;
  const bottom = Math.floor(low / step) * step;
  const count = Math.max(1, Math.ceil((high - bottom) / step - 1e-9));
  const ticks = Array.from({ length: count + 1 }, (_, index) => bottom + index * step);
  return { bottom, top: bottom + count * step, ticks };
}

/** The next of 1, 2, 5, 10, … */
function roundStep(least: number): number {
  const power = 10 ** Math.floor(Math.log10(least));
  return power * ([1, 2, 5].find((digit) => digit * power >= least * (1 - 1e-9)) ?? 10);
}

/** Round moments inside the range, at most six. */
export function timeTicks(fromMs: number, toMs: number): readonly number[] {
  const least = Math.max(STEP_MS, (toMs - fromMs) / 6);
  const step =
    [10, 30, 60, 120, 300, 600, 1_800].map((s) => s * 1_000).find((ms) => ms >= least) ?? 3_600_000;
  const first = Math.ceil(fromMs / step) * step;
  const count = Math.max(0, Math.floor((toMs - first) / step) + 1);
  return Array.from({ length: count }, (_, index) => first + index * step);
}

const suffixes: Readonly<Record<string, string>> = { ops: ' ops/s', pps: ' p/s', cps: ' c/s' };

/** With the unit that the dashboard gives it, as Grafana names it. */
export function shown(value: number, unit: string): string {
  if (unit === 'percentunit') return `${short(value * 100)} %`;
  if (unit !== 's') return `${short(value)}${suffixes[unit] ?? ''}`;
  if (value !== 0 && Math.abs(value) < 1) return `${short(value * 1_000)} ms`;
  const { seconds, name } = spanFor(Math.abs(value));
  return `${short(value / seconds)} ${name}`;
}

/** The unit of a time: the largest of which it has two. */
function spanFor(timeS: number) {
  const spans = [
    { seconds: 86_400, name: 'd' },
    { seconds: 3_600, name: 'h' },
    { seconds: 60, name: 'min' },
  ];
  return spans.find(({ seconds }) => timeS >= 2 * seconds) ?? { seconds: 1, name: 's' };
}

function short(value: number): string {
  return String(Number(value.toPrecision(3)));
}
