import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { referencePage, schemaText } from '../../../scripts/reference/pages.ts';

const read = (path: string) => readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8');
const howTo = 'node scripts/reference.ts writes it again';

test('docs/configuration.md is what the flags give', () => {
  expect(read('docs/configuration.md'), howTo).toBe(referencePage());
});

test('schemas/config.schema.json is what the flags give', () => {
  expect(read('schemas/config.schema.json'), howTo).toBe(schemaText());
});
