import { expect, test } from 'vitest';
import { createCluster } from '../../../helpers/cluster.ts';
import { createLoadBalancer } from '../../../helpers/load-balancer.ts';
import { drivenPages } from '../../../helpers/monitoring/driven-pages.ts';
import { parseExposition, plainNames, type Sample } from '../../../helpers/monitoring/exposition.ts';
import { type Selector, selectorsIn, selects } from '../../../helpers/monitoring/promql.ts';
import { dashboardExpressions, rules } from '../../../helpers/monitoring/shipped.ts';
import { waitFor } from '../../../helpers/wait-for.ts';

const expressions = [...rules.map(({ expr }) => expr), ...dashboardExpressions.map(([, expr]) => expr)];
const selectors = expressions.flatMap(selectorsIn);

test("HAProxy's exporter has the metrics in the alerts and dashboard, and each page has its own metrics", async () => {
  await using cluster = await createCluster(3);
  await Promise.all(cluster.nodes.map(cluster.startServer));
  const balancer = createLoadBalancer(cluster, cluster.kubeconfig('https://10.77.0.11:6443'));
  await balancer.startSupervisor();
  balancer.startMonitor('--api-vip', cluster.vip);
  await balancer.monitorSaid('redirect-added');
  const page = async (port: number) => parseExposition(await cluster.get(`http://127.0.0.1:${port}/metrics`));

  const asked = selectors.filter(({ metric }) => metric.startsWith('haproxy_'));
  const exporter = await waitFor('HAProxy to show three servers', async () => {
    const samples = await page(29_445);
    return samples.filter(({ name }) => name === 'haproxy_server_status').length >= 15 && samples;
  });
  expect(asked).not.toEqual([]);
  expect(asked.filter((selector) => !isShown(selector, exporter))).toEqual([]);

  const driven = await drivenPages();
  for (const [job, port] of [
    ['hawser-haproxy-monitor', 29_446],
    ['hawser-haproxy', 29_449],
  ] as const)
    expect(plainNames(await page(port))).toEqual(
      expect.arrayContaining([...plainNames(driven.get(job) ?? [])]),
    );
});

function isShown(selector: Selector, samples: readonly Sample[]): boolean {
  return samples.some((sample) => selects(selector, sample));
}
