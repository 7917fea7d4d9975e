import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import * as z from 'zod/mini';

export const root = join(import.meta.dirname, '../../..');

const rulesSchema = z.strictObject({
  groups: z.array(
    z.strictObject({
      name: z.string(),
      rules: z.array(
        z.strictObject({
          alert: z.string(),
          expr: z.string(),
          for: z.optional(z.string()),
          labels: z.strictObject({ severity: z.enum(['critical', 'warning']) }),
          annotations: z.strictObject({
            summary: z.string(),
            description: z.string(),
            runbook_url: z.string(),
          }),
        }),
      ),
    }),
  ),
});

const ruleTestsSchema = z.object({
  tests: z.array(
    z.object({
      name: z.string(),
      promql_expr_test: z.array(
        z.object({ expr: z.string(), exp_samples: z.array(z.object({ labels: z.string() })) }),
      ),
    }),
  ),
});

const target = z.object({ expr: z.string(), legendFormat: z.string() });
const dashboardSchema = z.object({
  templating: z.object({ list: z.array(z.object({ name: z.string(), type: z.string() })) }),
  panels: z.array(
    z.object({
      id: z.number(),
      type: z.string(),
      title: z.string(),
      description: z.optional(z.string()),
      datasource: z.optional(z.object({ uid: z.string() })),
      gridPos: z.object({ x: z.number(), y: z.number(), w: z.number(), h: z.number() }),
      fieldConfig: z.optional(z.object({ defaults: z.object({ unit: z.string() }) })),
      targets: z.optional(z.array(target)),
    }),
  ),
});

export type Rule = z.infer<typeof rulesSchema>['groups'][number]['rules'][number];
export type RuleTest = z.infer<typeof ruleTestsSchema>['tests'][number];

const read = (path: string): string => readFileSync(join(root, path), 'utf8');

export const rules: readonly Rule[] = rulesSchema
  .parse(parse(read('alerts/hawser.rules.yaml')))
  .groups.flatMap((group) => group.rules);

export const ruleTests: readonly RuleTest[] = ruleTestsSchema.parse(parse(read('alerts/tests.yaml'))).tests;

export const dashboard: z.infer<typeof dashboardSchema> = dashboardSchema.parse(
  JSON.parse(read('dashboards/hawser.json')),
);

/** As Prometheus gets it, for every node and every cluster. */
export function withEverything(expression: string): string {
  return expression.replaceAll(/\$(cluster|node)/g, '.*');
}

export const dashboardExpressions: readonly (readonly [title: string, expression: string])[] =
  dashboard.panels.flatMap(({ title, targets = [] }) =>
    targets.map(({ expr }) => [title, withEverything(expr)] as const),
  );
