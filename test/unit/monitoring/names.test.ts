import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { metricsPage } from '../../../scripts/reference/metrics-page.ts';
import { drivenPages, drivenTexts } from '../../helpers/monitoring/driven-pages.ts';
import { groupingsIn, selectorsIn, selects, targetLabels } from '../../helpers/monitoring/promql.ts';
import { dashboardExpressions, rules } from '../../helpers/monitoring/shipped.ts';

const pages = await drivenPages();
const expressions = [...rules.map(({ alert, expr }) => [alert, expr] as const), ...dashboardExpressions];
const mine = (metric: string) => /^(?:hawser|process|template)_/.test(metric);

test.each(expressions)('%s selects metrics that hawser has: %s', (_, expression) => {
  const selectors = selectorsIn(expression);
  expect(selectors).not.toEqual([]);
  for (const selector of selectors.filter(({ metric }) => mine(metric))) {
    const jobs = selector.matchers.find(({ label }) => label === 'job')?.value ?? 'hawser-.*';
    const asked = [...pages].filter(([job]) => new RegExp(`^(?:${jobs})$`).test(job));
    expect(asked, `no job is called ${jobs}`).not.toEqual([]);
    for (const [job, samples] of asked) {
      const found = samples.some((sample) => selects(selector, sample));
      expect(found, `${job} shows no ${selector.metric} like ${JSON.stringify(selector.matchers)}`).toBe(
        true,
      );
    }
  }
});

test.each(expressions)('%s groups by labels that exist: %s', (_, expression) => {
  const metrics = selectorsIn(expression).map(({ metric }) => metric);
  if (!metrics.every(mine)) return;
  const shown = [...pages.values()].flat().filter(({ name }) => metrics.includes(name));
  const labels = new Set([...targetLabels, ...shown.flatMap((sample) => Object.keys(sample.labels))]);
  for (const label of groupingsIn(expression)) expect([...labels]).toContain(label);
});

test("docs/metrics.md matches the programs' metrics", async () => {
  const page = readFileSync(new URL('../../../docs/metrics.md', import.meta.url), 'utf8');
  expect(page, 'node scripts/reference.ts writes it again').toBe(metricsPage(await drivenTexts()));
});
