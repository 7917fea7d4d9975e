import { expect, test } from 'vitest';
import * as z from 'zod/mini';
import { parseList } from '../../../../../src/engine/system/text/parse-json.ts';

const entry = z.object({ dev: z.string() });

test('entries of the form are taken, in their order, and others left out', () => {
  const text = '[{"dev":"eth0","mtu":1500},{},null,7,{"dev":7},{"dev":"lo"}]';
  expect(parseList(text, entry)).toEqual([{ dev: 'eth0' }, { dev: 'lo' }]);
});

test.each(['', '[]', '{}', 'null'])('%j has none', (text) => expect(parseList(text, entry)).toEqual([]));

test('invalid JSON is not taken for an empty list', () => {
  expect(() => parseList('[{"dev":', entry)).toThrow(SyntaxError);
});
