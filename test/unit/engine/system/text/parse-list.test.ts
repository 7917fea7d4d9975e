import { expect, test } from 'vitest';
import * as z from 'zod/mini';
import { parseList } from '../../../../../src/engine/system/text/parse-json.ts';

const entry = z.object({ dev: z.string() });

test('valid entries are returned in order, and others are dropped', () => {
  const text = '[{"dev":"eth0","mtu":1500},{},null,7,{"dev":7},{"dev":"lo"}]';
  expect(parseList(text, entry)).toEqual([{ dev: 'eth0' }, { dev: 'lo' }]);
});

test.each(['', '[]', '{}', 'null'])('%j has no entries', (text) =>
  expect(parseList(text, entry)).toEqual([]),
);

test('invalid JSON is an error, not an empty list', () => {
  expect(() => parseList('[{"dev":', entry)).toThrow(SyntaxError);
});
