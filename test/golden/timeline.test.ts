import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { fromJSONSchema } from 'zod';

const schema = fileURLToPath(new URL('../../schemas/timeline.schema.json', import.meta.url));

test('output of a version that had no clocks is still valid', () => {
  const bounds = { since: null, until: null };
  const old = { v: 1, verdict: 'whole', ...bounds, journals: [], unread: [], leftOut: 0, entries: [] };
  const published = fromJSONSchema(JSON.parse(readFileSync(schema, 'utf8')));
  expect(published.safeParse(old).success).toBe(true);
  expect(published.safeParse({ ...old, clocks: [{ node: 'cp-2', offMs: 900 }] }).success).toBe(true);
});
