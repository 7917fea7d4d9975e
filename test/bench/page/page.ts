import { type Chart, renderChart } from './chart.ts';
import type { ResultFile } from './results.ts';
import { sections } from './sections.ts';
import { figureOfCell, formatSection, isMedian, type Section } from './table.ts';

/** What the page of figures consists of: file names below docs/ and their texts. */
export function renderPage(results: readonly ResultFile[]): Readonly<Record<string, string>> {
  const charts = sections.flatMap((section) => chartOf(results, section) ?? []);
  const page = [
    '# Performance',
    '',
    'Written by `npm run bench -- --page-only` from the files in [performance/](performance): edit test/bench/page, not this page.',
    'A figure is a median, with its range and count where there were several. "Not run" was not measured yet.',
    '',
    formatMachines(results),
    ...sections.map((section) => formatOne(results, section)),
  ].join('\n');
  return {
    'performance.md': `${page.trimEnd()}\n`,
    ...Object.fromEntries(charts.map(({ name, chart }) => [`performance/${name}.svg`, renderChart(chart)])),
  };
}

function formatOne(results: readonly ResultFile[], section: Section): string {
  const image = chartOf(results, section);
  const picture = image === undefined ? [] : [`![${image.chart.title}](performance/${image.name}.svg)`, ''];
  return ['', `## ${section.title}`, '', section.about, '', ...picture, formatSection(results, section)].join(
    '\n',
  );
}

/** Undefined where nothing of it was measured. */
function chartOf(
  results: readonly ResultFile[],
  { chart, columns, rows }: Section,
): { readonly name: string; readonly chart: Chart } | undefined {
  if (chart === undefined) return undefined;
  const { name, ...look } = chart;
  // All of them, so that each has its colour in every chart.
  const keys = Object.keys(columns);
  const groups = rows
    .filter(({ unit }) => unit === chart.unit)
    .map((row) => ({
      label: row.what,
      values: keys.map((key) => {
        const figure = figureOfCell(results, row, key);
        return isMedian(figure) ? figure.median : undefined;
      }),
    }));
  if (groups.every(({ values }) => values.every((value) => value === undefined))) return undefined;
  return { name, chart: { ...look, series: keys.map((key) => columns[key] ?? key), groups } };
}

/** Figures of a busy machine are worth little, and those of small sizes less. */
function formatMachines(results: readonly ResultFile[]): string {
  const heading = [
    'file',
    'measured',
    'commit',
    'HAProxy',
    'keepalived',
    'Node',
    'Linux',
    'load average',
    'sizes',
  ];
  const rows = results.map(({ file, content: { machine, quick } }) => [
    `[${file}](performance/${file})`,
    machine.measuredAt.slice(0, 16).replace('T', ' '),
    machine.commit,
    machine.haproxy,
    machine.keepalived,
    machine.node,
    machine.kernel,
    machine.loadAverage.toFixed(1),
    quick === true ? '**small: to try the bench**' : 'full',
  ]);
  const last = results.at(-1)?.content.machine;
  const machine =
    last === undefined
      ? 'Nothing was measured.'
      : `${last.cores} × ${last.processor}, ${last.memoryMb} MB of memory, shared with others.`;
  const table = [heading, heading.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`);
  return [machine, '', ...table].join('\n');
}
