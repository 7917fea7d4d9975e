import fc from 'fast-check';
import { expect, test } from 'vitest';
import { columns, usualColumns } from '../../../../src/haproxy/exporter/columns.ts';
import { chosenColumns, statisticsPage } from '../../../../src/haproxy/exporter/statistics-page.ts';
import { readRows } from '../../../../src/haproxy/exporter/statistics-rows.ts';
import { createTotals } from '../../../../src/haproxy/exporter/statistics-totals.ts';
import { labelsOf } from '../../../../src/router/serve/observe-statistics.ts';
import { runs } from '../../../helpers/property-seed.ts';

const names = ['pxname', 'svname', 'type', ...new Set(columns.map(({ column }) => column))];

type CsvRow = Readonly<Record<string, string | number>>;

/** A `show stat` with these cells; all others are empty. */
function csvOf(...rows: readonly CsvRow[]): string {
  const lines = rows.map((row) => names.map((name) => row[name] ?? '').join(','));
  return `# ${names.join(',')}\n${lines.join('\n')}\n\n`;
}

const backend = (pxname: string, more: CsvRow = {}): CsvRow => ({
  pxname,
  svname: 'BACKEND',
  type: 1,
  ...more,
});
const server = (svname: string, more: CsvRow = {}): CsvRow => ({
  pxname: 'be_secure:shop:cart',
  svname,
  type: 2,
  ...more,
});
const chosen = chosenColumns(usualColumns);
const isCounter = chosen.map(({ type }) => type === 'counter');
const rowsOf = (...rows: readonly CsvRow[]) => readRows(csvOf(...rows), chosen) ?? [];

function pageOf(...rows: readonly CsvRow[]): string {
  const totals = createTotals(isCounter);
  const read = rowsOf(...rows);
  totals.add('1', read);
  return [...statisticsPage(read, chosen, totals, labelsOf)].join('');
}

test("series have the names and labels of openshift-router's exporter", () => {
  const page = pageOf(
    { pxname: 'public', svname: 'FRONTEND', type: 0, conn_tot: 4, hrsp_5xx: 2 },
    backend('be_edge_http:shop:cart', { stot: 7, status: 'UP', rtime: 3 }),
    backend('be_sni', { stot: 1, status: 'DOWN' }),
    server('pod:web-1:web:http:10.0.0.1:8080', { chkfail: 5, status: 'UP 1/3' }),
    server('ept:web:http:[fd00::1]:8080', { status: 'MAINT' }),
  );
  for (const line of [
    'haproxy_frontend_connections_total{frontend="public"} 4',
    'haproxy_frontend_http_responses_total{frontend="public",code="5xx"} 2',
    'haproxy_backend_connections_total{backend="https-edge",namespace="shop",route="cart"} 7',
    'haproxy_backend_up{backend="other/be_sni",namespace="",route=""} 0',
    'haproxy_backend_http_average_response_latency_milliseconds{backend="https-edge",namespace="shop",route="cart"} 3',
    'haproxy_server_check_failures_total{server="10.0.0.1:8080",namespace="shop",route="cart",pod="web-1",service="web"} 5',
    'haproxy_server_up{server="10.0.0.1:8080",namespace="shop",route="cart",pod="web-1",service="web"} 1',
    'haproxy_server_up{server="[fd00::1]:8080",namespace="shop",route="cart",pod="",service="web"} 0',
  ])
    expect(page.split('\n')).toContain(line);
  expect(page).toContain('# TYPE haproxy_backend_connections_total counter\n');
  expect(page.match(/# TYPE haproxy_frontend_http_responses_total/g)).toHaveLength(1);
});

test('missing and empty fields of a row are not exported', () => {
  const page = pageOf({ pxname: 'public', svname: 'FRONTEND', type: 0, stot: 9, bin: '' });
  expect(page).toBe('');
});

const stot = chosen.findIndex(({ column }) => column === 'stot');
const counted = (count: number) => rowsOf(backend('be_http:a:b', { stot: count }));
const totalOf = (totals: ReturnType<typeof createTotals>) => totals.of(counted(0)[0] as never)[stot];

test('a counter continues across a reload, and the draining generation still counts', () => {
  const totals = createTotals(isCounter);
  totals.add('old', counted(100));
  totals.add('new', counted(3));
  totals.add('old', counted(105));
  totals.add('new', counted(4));
  expect(totalOf(totals)).toBe(109);
  totals.keep((generation) => generation === 'new');
  totals.add('new', counted(6));
  expect(totalOf(totals)).toBe(111);
});

test('a generation that does not answer for a while is not counted twice', () => {
  const totals = createTotals(isCounter);
  totals.add('old', counted(100));
  totals.keep(() => true);
  totals.add('old', counted(101));
  expect(totalOf(totals)).toBe(101);
});

test('the counters of a server that is removed and added again continue', () => {
  const totals = createTotals(isCounter);
  for (const count of [50, 2, 5]) totals.add('1', counted(count));
  expect(totalOf(totals)).toBe(55);
});

test("a deleted route is forgotten, also in each generation's last statistics", () => {
  const totals = createTotals(isCounter);
  totals.add('1', counted(50));
  totals.keepRows([]);
  totals.add('1', counted(51));
  expect(totalOf(totals)).toBe(51);
});

test("property: the total has each concurrent generation's count since its last poll", () => {
  const counts = fc.tuple(fc.constantFrom('a', 'b'), fc.nat({ max: 3 }));
  const check = fc.property(fc.array(counts, { maxLength: 20 }), (steps) => {
    const totals = createTotals(isCounter);
    const last = new Map<string, number>();
    let sum = 0;
    for (const [generation, count] of steps) {
      const known = last.get(generation) ?? 0;
      sum += count >= known ? count - known : count;
      last.set(generation, count);
      totals.add(generation, counted(count));
      expect(totalOf(totals)).toBe(sum);
    }
  });
  fc.assert(check, { numRuns: runs(300) });
});

test('statistics that were cut off are not read', () => {
  expect(readRows(csvOf(backend('be_http:a:b')).trimEnd().slice(0, -2), chosen)).toBeUndefined();
  expect(readRows('Unknown command\n', chosen)).toBeUndefined();
});
