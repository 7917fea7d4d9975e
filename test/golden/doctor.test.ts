import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { products } from '../../src/commands/products.ts';
import { checksOf } from '../../src/operate/doctor/registry.ts';

const checks = checksOf(products);

const isUpdate = process.env['UPDATE_GOLDENS'] === '1';
const page = fileURLToPath(new URL('../../docs/doctor.md', import.meta.url));

/** The page with the current table of all checks. */
function withTable(text: string): string {
  const rows = checks.map(({ id, title }) => `| \`${id}\` | ${title} |`);
  const table = ['| check | subject |', '|---|---|', ...rows].join('\n');
  return text.replace(
    /(doctor\.test\.ts -->\n)[\s\S]*?(\n## What)/,
    (_, head, tail) => `${head}\n${table}\n${tail}`,
  );
}

test('docs/doctor.md lists every check', () => {
  if (isUpdate) writeFileSync(page, withTable(readFileSync(page, 'utf8')));
  const text = readFileSync(page, 'utf8');
  expect(text).toBe(withTable(text));
  expect(text).toContain(`\`${checks[0]?.id}\``);
});
