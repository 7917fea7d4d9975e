import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { products } from '../../src/commands/products.ts';
import { planJsonSchema } from '../../src/operate/plan/report.ts';

const schema = fileURLToPath(new URL('../../schemas/plan.schema.json', import.meta.url));

const published = planJsonSchema(products);

test('schemas/plan.schema.json is what --json is made of', () => {
  if (process.env['UPDATE_GOLDENS'] === '1') writeFileSync(schema, `${JSON.stringify(published, null, 2)}\n`);
  expect(JSON.parse(readFileSync(schema, 'utf8'))).toEqual(published);
});
