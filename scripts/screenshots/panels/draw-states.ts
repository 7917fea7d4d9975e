import type { Line, Panel } from './ask-panels.ts';
import { share, timeAxis } from './draw-lines.ts';
import { escaped } from './escaped.ts';
import { type Range, STEP_MS } from './prometheus.ts';
import { shown } from './scale.ts';

/** Of the names that the dashboard uses. */
const colours: Readonly<Record<string, string>> = {
  red: '#e02f44',
  green: '#56a64b',
  orange: '#ff780a',
  blue: '#3274d9',
};

/** Less than this much of the width has no room for a word. */
const WORD_PER_CENT = 4;

type Defaults = NonNullable<Panel['fieldConfig']>['defaults'];

/** The last value of each line, on the colour of its threshold. */
export function drawStats(lines: readonly Line[], defaults: Defaults): string {
  const cells = lines.map(({ name, points }) => {
    const value = points.at(-1)?.value ?? 0;
    return `<div style="background:${thresholdColour(value, defaults)}">${escaped(name)}<b>${shown(value, defaults.unit)}</b></div>`;
  });
  return `<div class="stats">${cells.join('')}</div>`;
}

function thresholdColour(value: number, { thresholds }: Defaults): string {
  const reached = thresholds.steps.filter((step) => value >= (step.value ?? Number.NEGATIVE_INFINITY));
  return colours[reached.at(-1)?.color ?? ''] ?? 'transparent';
}

/** A row for each line, with the dashboard's word and colour for what it was. */
export function drawStates(lines: readonly Line[], defaults: Defaults, range: Range): string {
  const words = Object.assign({}, ...defaults.mappings.map(({ options }) => options));
  const rows = lines.map((line) => {
    const stretches = stretchesOf(line).map(({ fromMs, toMs, value }) => {
      const { text = String(value), color = 'blue' } = words[value] ?? {};
      const [left, right] = [share(fromMs, range), Math.min(100, share(toMs, range))];
      const place = `left:${left.toFixed(2)}%;width:${(right - left).toFixed(2)}%`;
      const word = right - left < WORD_PER_CENT ? '' : escaped(text);
      return `<i style="${place};background:${colours[color] ?? 'transparent'}">${word}</i>`;
    });
    return `<div class="state"><b>${escaped(line.name)}</b><p>${stretches.join('')}</p></div>`;
  });
  return `<div class="states">${rows.join('')}<div class="plot">${timeAxis(range)}</div></div>`;
}

interface Stretch extends Range {
  readonly value: number;
}

/** Equal values that follow each other are one. */
function stretchesOf({ points }: Line): readonly Stretch[] {
  const stretches: Stretch[] = [];
  for (const { atMs, value } of points) {
    const last = stretches.at(-1);
    const goesOn = last?.value === value && atMs - last.toMs < STEP_MS / 2;
    const fromMs = goesOn ? last.fromMs : atMs;
    if (goesOn) stretches.pop();
    stretches.push({ fromMs, toMs: atMs + STEP_MS, value });
  }
  return stretches;
}
