import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { referencePage, routerPage, schemaText } from '../../../scripts/reference/pages.ts';

const read = (path: string) => readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8');
const howTo = 'node scripts/reference.ts writes it again';

test.each([
  ['docs/configuration.md', referencePage],
  ['docs/router-settings.md', routerPage],
])('%s is up to date with the flags', (path, page) => {
  expect(read(path), howTo).toBe(page());
});

test('schemas/config.schema.json is up to date with the flags', () => {
  expect(read('schemas/config.schema.json'), howTo).toBe(schemaText());
});
