import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { commandSpecs } from '../../../src/cli/command-specs.ts';
import { fileFormOf } from '../../../src/cli/settings-form.ts';
import { settingsKeys } from '../../../src/cli/settings-keys.ts';

const main = fileURLToPath(new URL('../../../src/main.ts', import.meta.url));

test('every command of the table is known to who completes it, and no other', () => {
  const table = readFileSync(main, 'utf8').matchAll(/^ {2}'?([a-z -]+?)'?: \{\n {4}summary:/gm);
  const names = [...table].map(([, name]) => name);
  expect(names).toContain('timeline');
  expect(commandSpecs.map(({ name }) => name).toSorted()).toEqual(names.toSorted());
});

test('the choices of a flag are what its parser takes', () => {
  const flags = commandSpecs.flatMap(({ flags }) => flags);
  const chosen = settingsKeys().flatMap((key) => {
    const { enum: values } = fileFormOf(key);
    return Array.isArray(values) ? [{ typed: key.typed, values }] : [];
  });
  expect(chosen.map(({ typed }) => typed)).toContain('--source');
  for (const { typed, values } of chosen)
    for (const flag of flags.filter((each) => each.flag.startsWith(`${typed} `)))
      expect(flag.choices, flag.flag).toEqual(values);
});
