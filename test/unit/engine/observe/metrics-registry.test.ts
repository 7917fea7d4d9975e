import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import { expect, test } from 'vitest';
import { createMetricsRegistry } from '../../../../src/engine/observe/metrics-registry.ts';

const odd = { vip: 'a "b" \\ c\nd', to: 'MASTER' };

test('prints the same text as prom-client', async () => {
  const theirs = new Registry();
  const registers = [theirs];
  const counted = new Counter({ name: 'a_total', help: 'A.', labelNames: ['vip', 'to'], registers });
  new Counter({ name: 'b_total', help: 'B.', registers });
  const set = new Gauge({ name: 'c', help: 'C.', labelNames: ['state'], registers });
  const observed = new Histogram({ name: 'd_seconds', help: 'D.', buckets: [0.1, 1], registers });
  counted.inc(odd);
  counted.inc(odd);
  set.set({ state: 'on' }, 1);
  for (const value of [0.05, 0.1, 0.5, 7]) observed.observe(value);

  const ours = createMetricsRegistry();
  const count = ours.counter('a_total', 'A.', []);
  ours.counter('b_total', 'B.');
  const gauge = ours.gauge('c', 'C.');
  const observe = ours.histogram('d_seconds', 'D.', [0.1, 1]);
  count(odd);
  count(odd);
  gauge.set(1, { state: 'off' });
  gauge.clear();
  gauge.set(1, { state: 'on' });
  for (const value of [0.05, 0.1, 0.5, 7]) observe(value);
  expect(ours.text()).toBe(await theirs.metrics());
});
