import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { comparedParts, readPart } from '../../../src/haproxy/compared-parts.ts';

const head = 'global\n  maxconn 10\ndefaults\n  mode http\n';
const backend = (name: number, line = '') =>
  `\nbackend be-${name}${line}\n${`  server s 10.0.0.1:80 check # ü${'.'.repeat(1_000)}\n`.repeat(3)}`;
const backends = Array.from({ length: 1_000 }, (_, name) => backend(name));

test('the parts of a large configuration have the head each, and every backend once', () => {
  const dir = mkdtempSync(join(tmpdir(), 'hawser-parts-'));
  onTestFinished(() => rmSync(dir, { recursive: true }));
  const [path, text] = [join(dir, 'haproxy.cfg'), head + backends.join('')];
  writeFileSync(path, text);
  const parts = comparedParts(Buffer.from(text));
  expect(parts.length).toBeGreaterThan(3);
  const texts = parts.map((part) => readPart(path, part) ?? '');
  expect(texts.every((each) => each.startsWith(head) && each.length < 700_000)).toBe(true);
  expect(head + texts.map((each) => each.slice(head.length)).join('')).toBe(text);
});

test('a configuration that is small, or that has backends which depend on others, is compared whole or not at all', () => {
  expect(comparedParts(Buffer.from(head + backend(1)))).toEqual([
    { isWhole: true, ranges: [[0, expect.any(Number)]] },
  ]);
  const large = head + backends.join('');
  expect(comparedParts(Buffer.from(`${large}\ndefaults\n  mode tcp\n`))).toEqual([]);
  expect(comparedParts(Buffer.from(`${large}\n  server t 10.0.0.1:80 track be-1/s\n`))).toEqual([]);
  expect(comparedParts(Buffer.from(`${large}\n  http-request set-header x track\n`))).not.toEqual([]);
});

test('a file that was removed since its parts were found has none to read', () => {
  expect(readPart('/nonexistent/haproxy.cfg', { isWhole: true, ranges: [[0, 1]] })).toBeUndefined();
  expect(readPart('/', { isWhole: true, ranges: [[0, 1]] })).toBeUndefined();
});
