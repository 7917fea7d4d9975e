import { formatNumber } from '../reload/table.ts';

export interface Chart {
  readonly title: string;
  readonly unit: string;
  /** A logarithmic axis starts at 1. Smaller values get no visible bar, only their number. */
  readonly scale: 'linear' | 'log';
  readonly series: readonly string[];
  /** In the order of `series`; undefined if there is no value. */
  readonly groups: readonly { readonly label: string; readonly values: readonly (number | undefined)[] }[];
}

const size = { width: 820, left: 250, right: 90, bar: 14, gap: 12, top: 64, bottom: 48 } as const;

/** In both themes the contrast to the background is at least 3:1, and colours differ in lightness for colour-blind readers. */
const style = `
  .back { fill: #ffffff; } .text { fill: #1f2328; } .quiet { fill: #59636e; } .grid { stroke: #d1d9e0; }
  .s0 { fill: #0a4f9e; } .s1 { fill: #b35900; } .s2 { fill: #1a7f37; } .s3 { fill: #8250df; } .s4 { fill: #6e7781; }
  @media (prefers-color-scheme: dark) {
    .back { fill: #0d1117; } .text { fill: #f0f6fc; } .quiet { fill: #9198a1; } .grid { stroke: #3d444d; }
    .s0 { fill: #58a6ff; } .s1 { fill: #f0883e; } .s2 { fill: #3fb950; } .s3 { fill: #bc8cff; } .s4 { fill: #8b949e; }
  }`;

/** Grouped horizontal bars as SVG text that follows the reader's colour scheme. */
export function renderChart(chart: Chart): string {
  const { unit, scale } = chart;
  const groups = chart.groups.filter(({ values }) => values.some((value) => value !== undefined));
  const most = Math.max(...groups.flatMap(({ values }) => values.map((value) => value ?? 0)), 1);
  const ticks = scale === 'log' ? powersUpTo(most) : stepsUpTo(most);
  const last = ticks.at(-1) ?? 1;
  const room = size.width - size.left - size.right;
  const lengthOf = (value: number) =>
    scale === 'log' ? (Math.log10(Math.max(1, value)) / Math.log10(last)) * room : (value / last) * room;
  let y = size.top;
  const bars: string[] = [];
  for (const { label, values } of groups) {
    const shown = values.flatMap((value, index) => (value === undefined ? [] : [{ value, index }]));
    const middle = y + (shown.length * size.bar) / 2 + 4;
    bars.push(text(size.left - 10, middle, 'text', label, 'end'));
    for (const { value, index } of shown) {
      const length = Math.max(lengthOf(value), 1).toFixed(1);
      bars.push(
        `<rect class="s${index}" x="${size.left}" y="${y}" width="${length}" height="${size.bar - 3}"/>`,
      );
      bars.push(
        text(size.left + Number(length) + 5, y + size.bar - 4, 'quiet', formatNumber(value), 'start'),
      );
      y += size.bar;
    }
    y += size.gap;
  }
  const bottom = y;
  const grid = ticks.map((tick) => {
    const x = (size.left + lengthOf(tick)).toFixed(1);
    return `<line class="grid" x1="${x}" x2="${x}" y1="${size.top - 6}" y2="${bottom}"/>${text(Number(x), bottom + 16, 'quiet', formatNumber(tick), 'middle')}`;
  });
  const axis = `${unit}${scale === 'log' ? ', logarithmic' : ''}`;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${size.width} ${bottom + size.bottom}" width="${size.width}" height="${bottom + size.bottom}" font-family="system-ui, sans-serif" font-size="12" role="img" aria-label="${escaped(chart.title)}">
<style>${style}
</style>
<rect class="back" width="100%" height="100%"/>
${text(16, 24, 'text', chart.title, 'start', 'font-size="15" font-weight="600"')}
${legend(chart)}
${grid.join('\n')}
${bars.join('\n')}
${text(size.left + room / 2, bottom + 36, 'quiet', axis, 'middle')}
</svg>
`;
}

function legend({ series, groups }: Chart): string {
  if (series.length < 2) return '';
  let x = 16;
  return series
    .map((name, index) => {
      if (!groups.some(({ values }) => values[index] !== undefined)) return '';
      const at = x;
      x += 34 + name.length * 6.9;
      return `<rect class="s${index}" x="${at}" y="36" width="11" height="11"/>${text(at + 16, 46, 'text', name, 'start')}`;
    })
    .join('\n');
}

function text(x: number, y: number, kind: string, content: string, anchor: string, extra = ''): string {
  const space = extra === '' ? '' : ` ${extra}`;
  return `<text class="${kind}" x="${x.toFixed(1)}" y="${y.toFixed(1)}" text-anchor="${anchor}"${space}>${escaped(content)}</text>`;
}

function powersUpTo(most: number): readonly number[] {
  const count = Math.max(1, Math.ceil(Math.log10(most)));
  return Array.from({ length: count + 1 }, (_, power) => 10 ** power);
}

/** Round steps that give at most six grid lines. */
function stepsUpTo(most: number): readonly number[] {
  const power = 10 ** Math.floor(Math.log10(most / 5));
  const step = [1, 2, 5, 10].map((each) => each * power).find((each) => most / each <= 5) ?? power * 10;
  return Array.from({ length: Math.ceil(most / step) + 1 }, (_, index) => index * step);
}

function escaped(content: string): string {
  return content.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}
