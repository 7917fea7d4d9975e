import type { Machine } from '../reload/machine.ts';
import { type Chart, renderChart } from './chart.ts';
import type { ResultFile } from './results.ts';
import { pages, sections } from './sections.ts';
import { figureOfCell, formatSection, isMedian, type Section } from './table.ts';

/** The pages and charts: texts by file name below docs/. */
export function renderPage(results: readonly ResultFile[]): Readonly<Record<string, string>> {
  const charts = sections.flatMap((section) => chartOf(results, section) ?? []);
  const performance = [
    '# Performance',
    '',
    '<!-- Written by `npm run bench -- --page-only` from docs/performance/: edit test/bench/page, not this page. -->',
    '',
    'Each figure is a median, with range and count if there were several runs. "Not run" has not been measured yet.',
    formatMachines(results),
    ...pages['performance.md'].map((section) => formatOne(results, section)),
  ].join('\n');
  const measurements = [
    '# Measurements',
    '',
    '<!-- Written by `npm run bench -- --page-only` from docs/performance/: edit test/bench/page, not this page. -->',
    '',
    'Figures beyond those in [performance](../performance.md), and the runs behind both pages.',
    '',
    formatRuns(results),
    ...pages['internals/measurements.md'].map((section) => formatOne(results, section)),
  ].join('\n');
  return {
    'performance.md': `${performance.trimEnd()}\n`,
    'internals/measurements.md': `${measurements.trimEnd()}\n`,
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

/** Undefined if nothing in it was measured. */
function chartOf(
  results: readonly ResultFile[],
  { chart, columns, rows }: Section,
): { readonly name: string; readonly chart: Chart } | undefined {
  if (chart === undefined) return undefined;
  const { name, ...look } = chart;
  // All columns, so that each keeps its colour in every chart.
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

function formatMachines(results: readonly ResultFile[]): string {
  const machines = results.map(({ content: { machine } }) => machine);
  const last = machines.at(-1);
  if (last === undefined) return 'Nothing was measured.';
  const all = (field: (machine: Machine) => string) =>
    [...new Set(machines.map(field))].filter((value) => value !== '–').join(' and ');
  const days = machines.map(({ measuredAt }) => measuredAt.slice(0, 10));
  const small = results.flatMap(({ file, content: { quick } }) => (quick === true ? [file] : []));
  return [
    `Measured from ${days[0]} to ${days.at(-1)} on ${last.cores} × ${last.processor}, ${last.memoryMb} MB of memory, shared with others: HAProxy`,
    `${all(({ haproxy }) => haproxy)}, keepalived ${all(({ keepalived }) => keepalived)}, Node ${all(({ node }) => node)}. [Measurements](internals/measurements.md) lists the runs and has more figures.`,
    ...(small.length > 0 ? [`**Small sizes, to try the bench: ${small.join(', ')}.**`] : []),
  ].join('\n');
}

/** High load and small sizes make figures unreliable, so the table shows both. */
function formatRuns(results: readonly ResultFile[]): string {
  const heading = ['file', 'measured', 'commit', 'load average'];
  const rows = results.map(({ file, content: { machine, quick } }) => [
    `[${file}](../performance/${file})${quick === true ? ', **small sizes**' : ''}`,
    machine.measuredAt.slice(0, 10),
    machine.commit,
    machine.loadAverage.toFixed(1),
  ]);
  return [heading, heading.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}
