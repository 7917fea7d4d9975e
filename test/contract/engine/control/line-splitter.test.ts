import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  createLineSplitter,
  MAX_LINE_BYTES,
  type SplitLine,
} from '../../../../src/engine/control/line-splitter.ts';
import { waitFor } from '../../../helpers/wait-for.ts';

const line = (text: string): SplitLine => ({ kind: 'line', text });
const tooLong: SplitLine = { kind: 'too-long' };

function split(...chunks: readonly (string | Uint8Array)[]): readonly SplitLine[] {
  const splitter = createLineSplitter();
  return [...chunks.flatMap((chunk) => splitter.push(Buffer.from(chunk))), ...splitter.end()];
}

test.each<[string, readonly string[], readonly SplitLine[]]>([
  ['LF ends a line', ['reload\n'], [line('reload')]],
  ['CRLF ends a line', ['reload\r\n'], [line('reload')]],
  ['two lines arrive together', ['reload\nstatus\n'], [line('reload'), line('status')]],
  ['a line arrives in pieces', ['re', 'lo', 'ad', '\n'], [line('reload')]],
  ['CR and LF arrive in two pieces', ['reload\r', '\nping\n'], [line('reload'), line('ping')]],
  ['blank lines are skipped', ['\n\r\n  \n\nping\n\n'], [line('ping')]],
  ['a final line without an end is read', ['ping\nreload'], [line('ping'), line('reload')]],
  ['no input gives no line', [], []],
  ['blanks around a line are dropped', ['  reload \n'], [line('reload')]],
  ['a lone CR inside a line stays', ['re\rload\n'], [line('re\rload')]],
])('%s', (_, chunks, expected) => {
  expect(split(...chunks)).toEqual(expected);
});

test('a character split by the network is restored', () => {
  const bytes = Buffer.from('prüfe\n');
  const cut = bytes.indexOf(0xbc);
  expect(split(bytes.subarray(0, cut), bytes.subarray(cut))).toEqual([line('prüfe')]);
});

test('a line of exactly the limit is accepted, one byte more is not, whatever ends it', () => {
  const longest = 'x'.repeat(MAX_LINE_BYTES);
  for (const end of ['\n', '\r\n', '']) {
    expect(split(`${longest}${end}`)).toEqual([line(longest)]);
    expect(split(`${longest}x${end}`)).toEqual([tooLong]);
  }
});

test('a line that is too long is reported once, and the next one is read', () => {
  const pieces = Array.from({ length: 400 }, () => 'x'.repeat(1_000));
  expect(split(...pieces, 'x\nping\n')).toEqual([tooLong, line('ping')]);
  expect(split(...pieces)).toEqual([tooLong]);
});

test('the same bytes give the same lines, however they are split into chunks', () => {
  const byte = fc.oneof(
    fc.constantFrom(10, 13, 32),
    fc.constantFrom(...Buffer.from('a\u00fc\u20ac\u{1d11e}')),
    fc.integer({ min: 0, max: 255 }),
  );
  fc.assert(
    fc.property(fc.array(byte, { maxLength: 60 }), fc.infiniteStream(fc.nat(9)), (bytes, sizes) => {
      const small = (chunks: readonly Uint8Array[]) => {
        const splitter = createLineSplitter(8);
        return [...chunks.flatMap((chunk) => splitter.push(chunk)), ...splitter.end()];
      };
      const whole = Uint8Array.from(bytes);
      const chunks: Uint8Array[] = [];
      for (let at = 0; at < whole.length; ) {
        const size = 1 + (sizes.next().value ?? 0);
        chunks.push(whole.subarray(at, at + size));
        at += size;
      }
      expect(small(chunks)).toEqual(small([whole]));
    }),
    { numRuns: 2_000 },
  );
});

test('a line without an end uses no memory', async () => {
  setFlagsFromString('--expose-gc');
  const collect: unknown = runInNewContext('gc');
  if (typeof collect !== 'function')
    throw new Error('Cannot collect garbage: there is no gc(), expected one');
  const splitter = createLineSplitter();
  const sent = 64 * 1024 * 1024;
  collect();
  const before = process.memoryUsage().arrayBuffers;
  for (let bytes = 0; bytes < sent; bytes += 64 * 1024) splitter.push(Buffer.alloc(64 * 1024, 'x'));
  // Buffers are freed a moment after they are collected.
  await waitFor('the bytes to be given back', () => {
    collect();
    return process.memoryUsage().arrayBuffers - before < sent / 8;
  });
  expect(splitter.end()).toEqual([tooLong]);
});
