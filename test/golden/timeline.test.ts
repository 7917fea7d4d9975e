import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { timelineJsonSchema } from '../../src/operate/timeline/report.ts';

const isUpdate = process.env['UPDATE_GOLDENS'] === '1';
const schema = fileURLToPath(new URL('../../schemas/timeline.schema.json', import.meta.url));

test('schemas/timeline.schema.json is what --json is made of', () => {
  if (isUpdate) writeFileSync(schema, `${JSON.stringify(timelineJsonSchema(), null, 2)}\n`);
  expect(JSON.parse(readFileSync(schema, 'utf8'))).toEqual(timelineJsonSchema());
});
