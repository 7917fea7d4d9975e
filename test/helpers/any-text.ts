import fc from 'fast-check';

const SURROGATES = { from: 0xd800, count: 0x800 };

const beyondAscii = fc
  .integer({ min: 0x80, max: 0x10ffff - SURROGATES.count })
  .map((index) => String.fromCodePoint(index < SURROGATES.from ? index : index + SURROGATES.count));

const character = fc.oneof(
  { weight: 3, arbitrary: fc.string({ unit: 'binary-ascii', minLength: 1, maxLength: 1 }) },
  { weight: 1, arbitrary: beyondAscii },
);

/**
 * Text of arbitrary characters, most of them ASCII, including control characters. fast-check's unit `binary` builds a
 * map of a million characters in every worker: 1.5 s of CPU time.
 */
export function anyText(constraints: Omit<fc.StringConstraints, 'unit'> = {}): fc.Arbitrary<string> {
  return fc.string({ ...constraints, unit: character });
}
