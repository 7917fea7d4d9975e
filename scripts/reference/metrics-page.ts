import { familiesOf } from '../../test/helpers/monitoring/exposition.ts';

interface Row {
  readonly type: string;
  readonly help: string;
  readonly labels: readonly string[];
  readonly jobs: readonly string[];
}

/** docs/metrics.md. `pages` is each job's page after every counted event has happened. */
export function metricsPage(pages: ReadonlyMap<string, string>): string {
  const rows = new Map<string, Row>();
  for (const [job, text] of pages)
    for (const { name, type, help, labels } of familiesOf(text)) {
      const before = rows.get(name);
      const all = [...new Set([...(before?.labels ?? []), ...labels])];
      rows.set(name, { type, help, labels: all, jobs: [...(before?.jobs ?? []), job] });
    }
  const sorted = [...rows].toSorted(([a], [b]) => (a < b ? -1 : 1));
  return [
    ...introduction,
    '| metric | type | labels | jobs | what it is |',
    '|---|---|---|---|---|',
    ...sorted.map(([name, row]) => rowOf(name, row, pages.size)),
    '',
  ].join('\n');
}

const introduction = [
  '# Metrics',
  '',
  '<!-- Made by scripts/reference.ts from what the programs show: change that. -->',
  '',
  'All metrics of hawser. [Monitoring](monitoring.md) has the address of each job and says how to scrape it. HAProxy documents the metrics of its own exporter',
  '(`hawser-haproxy-exporter`); `hawser-router` also has the `haproxy_*` series of openshift-router ([router](router.md#metrics)).',
  '',
];

function rowOf(name: string, { type, help, labels, jobs }: Row, of: number): string {
  const shownBy =
    jobs.length === of ? 'all' : jobs.map((job) => `\`${job.replace(/^hawser-/, '')}\``).join(', ');
  const shownLabels = labels.map((label) => `\`${label}\``).join(', ');
  return `| \`${name}\` | ${type} | ${shownLabels} | ${shownBy} | ${help.replaceAll('|', '\\|')} |`;
}
