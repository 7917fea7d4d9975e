import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { drillJsonSchema } from '../../src/vip/steering/drill-report.ts';
import { steeringJsonSchema } from '../../src/vip/steering/steering-report.ts';

const isUpdate = process.env['UPDATE_GOLDENS'] === '1';

test.each([
  ['drill', drillJsonSchema()],
  ['steering', steeringJsonSchema()],
])('schemas/%s.schema.json is what --json is made of', (name, schema) => {
  const path = fileURLToPath(new URL(`../../schemas/${name}.schema.json`, import.meta.url));
  if (isUpdate) writeFileSync(path, `${JSON.stringify(schema, null, 2)}\n`);
  expect(JSON.parse(readFileSync(path, 'utf8'))).toEqual(schema);
});
