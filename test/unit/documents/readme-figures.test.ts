import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { figureAt, readResults } from '../../bench/page/results.ts';

const root = join(import.meta.dirname, '../../..');
const page = readFileSync(join(root, 'README.md'), 'utf8');
const results = readResults(join(root, 'docs/performance'));

function measured(reference: string): { readonly median: number; readonly max: number } {
  const figure = figureAt(results, reference);
  if (typeof figure !== 'object' || figure === null) throw new Error(`"${reference}" was not measured`);
  return { max: figure.median, ...figure };
}

const whole = (value: number) => Math.round(value).toLocaleString('en');
const median = (reference: string) => whole(measured(reference).median);
const reload = (figure: string) => median(`reload#scenarios/${figure}`);
const outage = (fault: string, subject: string) =>
  measured(`failover#faults/${fault}/${subject}/metrics/outageMs`);
const hawserOutage = (fault: string) =>
  `${whole(outage(fault, 'hawser').median)} / ${whole(outage(fault, 'hawser').max)} ms`;
/** In seconds, with this number of decimals. */
const seconds = (ms: number, digits: number) =>
  (Math.round((ms / 1_000) * 10 ** digits) / 10 ** digits).toFixed(digits);
const change = (subject: string) => measured(`change#change/${subject}`).median;

test('every figure in the README matches docs/performance/*.json', () => {
  const [, rows = ''] = /^## Figures\n.*?^\|---\|---\|---\|\n(.*?)\n\n/ms.exec(page) ?? [];
  expect(rows.split('\n')).toEqual([
    `| reload of a broken haproxy.cfg: connections lost | ${reload('bad-file/hawser/lost')} of ${reload('bad-file/hawser/connections')} | ${reload('bad-file/shell/lost')} of ${reload('bad-file/shell/connections')} (shell daemon) |`,
    `| 20 reloads at once: generations of HAProxy started | ${reload('burst/hawser/generationsStarted')} | ${reload('burst/shell/generationsStarted')} (shell daemon) |`,
    `| Node changed at the API → served by HAProxy, median | ${seconds(change('hawser'), 2)} s | ${seconds(change('shell'), 1)} s (shell pods) |`,
    `| VIP holder's node dies: outage, median / max | ${hawserOutage('node-death')} | ${whole(outage('node-death', 'kubeadm').median)} ms (kubeadm guide) |`,
    `| HAProxy on the holder killed: outage, median / max | ${hawserOutage('haproxy-kill')} | ${whole(outage('haproxy-kill', 'openshift').median)} ms (OpenShift) |`,
    `| resident memory of the HAProxy supervisor | ${reload('idle/hawser/supervisorRssMb')} MB | ${reload('idle/shell/supervisorRssMb')} MB (shell daemon) |`,
  ]);
});

test("the README states how fast the VIP moves when the holder's node dies", () => {
  const aboutSeconds = `about ${seconds(outage('node-death', 'hawser').median, 1)} s`;
  expect(page).toContain(`moves the VIP in ${aboutSeconds}.`);
  expect(page).toContain(`| the node that holds the VIP | another node takes the VIP in ${aboutSeconds} |`);
});

test('the README names the versions that were measured', () => {
  const measuredWith = results
    .filter(({ bench }) => ['reload', 'change', 'failover'].includes(bench))
    .map(({ content: { machine } }) =>
      [machine.cores, machine.haproxy.split('-')[0], machine.keepalived].join(),
    );
  const [, cores, haproxy, keepalived] =
    /^(\w+) shared cores, HAProxy ([\d.]+), keepalived ([\d.]+);/m.exec(page) ?? [];
  expect([...new Set(measuredWith)]).toEqual([[cores === 'Two' ? 2 : cores, haproxy, keepalived].join()]);
});
