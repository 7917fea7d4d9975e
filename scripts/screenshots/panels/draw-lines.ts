import type { Line } from './ask-panels.ts';
import { escaped } from './escaped.ts';
import { type Point, type Range, STEP_MS } from './prometheus.ts';
import { type Scale, scaleFor, shown, timeTicks } from './scale.ts';

const palette = [
  ...['#56a64b', '#e0b400', '#3274d9', '#e02f44', '#ff780a', '#8f3bb8', '#1f9e9e', '#806eb7'],
  ...['#b8860b', '#7a7a7a', '#c15c17', '#0a437c', '#d683ce', '#4d6b1f', '#962d82', '#2f575e'],
];

export interface LinesPanel {
  readonly lines: readonly Line[];
  readonly unit: string;
  /** The axis goes up to here at least. */
  readonly reach: number | undefined;
  /** One upon the other, each moment a bar. */
  readonly stacked: boolean;
}

/** Axes, lines and legend. The drawing fills what room the page gives it, so only its letters have a size. */
export function drawLines({ lines, unit, reach, stacked }: LinesPanel, range: Range): string {
  const drawn = stacked ? stack(lines) : lines;
  const values = drawn.flatMap(({ points }) => points.map(({ value }) => value));
  const scale = scaleFor(values, unit, reach);
  const y = (value: number) => 100 * (1 - (value - scale.bottom) / (scale.top - scale.bottom));
  const x = (atMs: number) => share(atMs, range);
  const shape = ({ points }: Line, index: number) =>
    stacked ? bars(points, x, y, colour(index)) : strokes(points, x, y, colour(index));
  // The highest of a stack lies behind the others.
  const shapes = drawn.map(shape).toReversed().join('');
  return `<div class="plot">${grid(scale, unit, y)}${timeAxis(range)}
    <svg viewBox="0 0 100 100" preserveAspectRatio="none">${shapes}</svg></div>${legend(lines)}`;
}

/** Where a moment is, in per cent from the left. */
export function share(atMs: number, { fromMs, toMs }: Range): number {
  return (100 * (atMs - fromMs)) / (toMs - fromMs);
}

export function timeAxis(range: Range): string {
  const clock = (ms: number) => new Date(ms).toISOString().slice(11, 19);
  return timeTicks(range.fromMs, range.toMs)
    .map((ms) => `<i class="time" style="left:${share(ms, range).toFixed(2)}%"><b>${clock(ms)}</b></i>`)
    .join('');
}

type Place = (value: number) => number;

function grid(scale: Scale, unit: string, y: Place): string {
  return scale.ticks
    .map((tick) => `<i class="value" style="top:${y(tick).toFixed(2)}%"><b>${shown(tick, unit)}</b></i>`)
    .join('');
}

/** A line ends where a value is missing, and begins anew. */
function strokes(points: readonly Point[], x: Place, y: Place, stroke: string): string {
  const path = points.map(({ atMs, value }, index) => {
    const before = points[index - 1];
    const joined = before !== undefined && atMs - before.atMs < 1.5 * STEP_MS;
    return `${joined ? 'L' : 'M'}${x(atMs).toFixed(2)} ${y(value).toFixed(2)}`;
  });
  return `<path d="${path.join('')}" stroke="${stroke}"/>`;
}

function bars(points: readonly Point[], x: Place, y: Place, fill: string): string {
  const width = x(STEP_MS) - x(0);
  const path = points.map(
    ({ atMs, value }) =>
      `M${(x(atMs) - width / 2).toFixed(2)} ${y(0).toFixed(2)}V${y(value).toFixed(2)}h${width.toFixed(2)}V${y(0).toFixed(2)}`,
  );
  return `<path d="${path.join('')}" fill="${fill}" stroke="none" shape-rendering="crispEdges"/>`;
}

function stack(lines: readonly Line[]): readonly Line[] {
  const below = new Map<number, number>();
  return lines.map(({ name, points }) => ({
    name,
    points: points.map(({ atMs, value }) => {
      const top = (below.get(atMs) ?? 0) + value;
      below.set(atMs, top);
      return { atMs, value: top };
    }),
  }));
}

function legend(lines: readonly Line[]): string {
  const entries = lines.map(
    ({ name }, index) => `<span><i style="background:${colour(index)}"></i>${escaped(name)}</span>`,
  );
  return `<div class="legend">${entries.join('')}</div>`;
}

function colour(index: number): string {
  return palette[index % palette.length] ?? '#000';
}
