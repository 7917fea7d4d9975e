import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { products } from '../../../src/commands/products.ts';
import { checksOf } from '../../../src/operate/doctor/registry.ts';
import { type Rule, root, rules, ruleTests } from '../../helpers/monitoring/shipped.ts';

const checks = checksOf(products);

const runbooks = join(root, 'docs/runbooks');
const names = rules.map(({ alert }) => alert);
const runbookOf = (alert: string) => readFileSync(join(runbooks, `${alert}.md`), 'utf8');

/** The anchors of a page's headings, without #. */
function anchorsOf(path: string): readonly string[] {
  return [...readFileSync(path, 'utf8').matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\w -]/g, '')
      .replaceAll(' ', '-'),
  );
}

function testsOf({ alert }: Rule): typeof ruleTests {
  return ruleTests.filter(({ name }) => name.startsWith(`${alert}: `));
}

test.each(rules)('$alert is tested both firing and not firing', (rule) => {
  const asked = testsOf(rule).flatMap((each) => each.promql_expr_test);
  for (const { expr } of asked) expect(expr).toBe(`ALERTS{alertname="${rule.alert}",alertstate="firing"}`);
  expect(asked.some(({ exp_samples }) => exp_samples.length > 0)).toBe(true);
  expect(asked.some(({ exp_samples }) => exp_samples.length === 0)).toBe(true);
});

test.each(rules)('$alert uses only labels that it has when it fires', (rule) => {
  const fired = testsOf(rule).flatMap(({ promql_expr_test }) =>
    promql_expr_test.flatMap(({ exp_samples }) => exp_samples.map(({ labels }) => labels)),
  );
  const { summary, description } = rule.annotations;
  for (const [, label] of `${summary} ${description}`.matchAll(/\$labels\.(\w+)/g))
    for (const labels of fired) expect(labels).toContain(`${label}="`);
});

test.each(rules)('$alert has a runbook with meaning, impact, diagnosis and mitigation', (rule) => {
  expect(rule.annotations.runbook_url).toBe(`docs/runbooks/${rule.alert}.md`);
  const text = runbookOf(rule.alert);
  const headings = [`# ${rule.alert}`, '## Meaning', '## Impact', '## Diagnosis', '## Mitigation'];
  expect(text.split('\n').filter((line) => headings.includes(line))).toEqual(headings);
});

test('no runbook remains of a removed alert', () => {
  const files = readdirSync(runbooks).filter((name) => name !== 'README.md');
  expect(files.sort()).toEqual(names.map((name) => `${name}.md`).sort());
});

test.each(names)('the runbook of %s uses only commands, checks and alerts that exist', (alert) => {
  const text = runbookOf(alert);
  for (const [, list = ''] of text.matchAll(/--only ([a-z0-9,-]+)/g))
    for (const name of list.split(',')) expect(checks.map(({ id }) => id)).toContain(name);
  for (const [, name = ''] of text.matchAll(/`(Hawser\w+)`/g)) expect(names).toContain(name);
  for (const [, link = '', anchor = ''] of text.matchAll(/\]\(([^)#]+)(?:#([^)]*))?\)/g)) {
    expect(existsSync(join(runbooks, link)), link).toBe(true);
    if (anchor !== '') expect(anchorsOf(join(runbooks, link)), link).toContain(anchor);
  }
  const commands = readFileSync(join(root, 'src/commands/table.ts'), 'utf8');
  const [, typed = ''] = text.split('```sh\n');
  for (const [, command = ''] of typed.matchAll(/^hawser ((?:haproxy |keepalived )?\w+)/gm))
    expect(commands).toContain(command);
});
