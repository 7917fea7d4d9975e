import fc from 'fast-check';
import { anyText } from '../helpers/any-text.ts';

/** Text with a special meaning to a shell, a parser, a terminal or a template. */
const words = [
  ...[
    '\n',
    '\r',
    '\0',
    ' ',
    '\t',
    '#',
    '\\',
    '"',
    "'",
    '$',
    '{',
    '}',
    '<%=',
    '%>',
    ',',
    ':',
    '/',
    '..',
    '%',
    '!',
    '&',
    '*',
  ],
  ...[
    'server',
    'bind',
    'include',
    'vrrp_instance',
    'script',
    '-1',
    '0',
    '65536',
    '1e999',
    'NaN',
    'null',
    'true',
    '[',
    ']',
  ],
  ...[
    '\u001b[2J',
    '\u2028',
    '\u202e',
    '\ud800',
    'é',
    '\u{1f4a5}',
    '__proto__',
    'constructor',
    '10.0.0.1',
    'fd00::1',
    'fe80::1%eth0',
  ],
];

/** Names that could come from an API object, a file or a user. */
export const hostileText: fc.Arbitrary<string> = fc.oneof(
  anyText({ maxLength: 20 }),
  fc.string({ unit: 'grapheme', maxLength: 20 }),
  fc.array(fc.constantFrom(...words), { maxLength: 8 }).map((parts) => parts.join('')),
  fc.array(fc.constantFrom(...words), { maxLength: 3 }).map((parts) => ['a', ...parts, 'b'].join('x')),
  fc.constantFrom('a', 'A', '-', '.', '_').map((character) => character.repeat(300)),
);

type Edit =
  | {
      readonly kind: 'flip' | 'cut' | 'repeat';
      readonly at: number;
      readonly size: number;
      readonly byte: number;
    }
  | { readonly kind: 'insert'; readonly at: number; readonly text: string };

const edits: fc.Arbitrary<readonly Edit[]> = fc.array(
  fc.oneof(
    fc.record({
      kind: fc.constantFrom('flip' as const, 'cut' as const, 'repeat' as const),
      at: fc.nat(100_000),
      size: fc.nat(80),
      byte: fc.nat(255),
    }),
    fc.record({ kind: fc.constant('insert' as const), at: fc.nat(100_000), text: hostileText }),
  ),
  { maxLength: 5 },
);

/** Mutations of one of these texts, or unrelated bytes. */
export function bytesNear(texts: readonly string[]): fc.Arbitrary<Buffer> {
  const near = fc
    .tuple(fc.constantFrom(...texts), edits)
    .map(([text, all]) => all.reduce<Buffer>((bytes, edit) => apply(bytes, edit), Buffer.from(text)));
  const unlike = fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes));
  return fc.oneof({ arbitrary: near, weight: 9 }, { arbitrary: unlike, weight: 1 });
}

/** The same as text, decoded the way programs read files and sockets: invalid UTF-8 is replaced. */
export function textNear(texts: readonly string[]): fc.Arbitrary<string> {
  return bytesNear(texts).map((bytes) => bytes.toString('utf8'));
}

function apply(bytes: Buffer, edit: Edit): Buffer {
  const at = bytes.length === 0 ? 0 : edit.at % (bytes.length + 1);
  const before = bytes.subarray(0, at);
  const after = bytes.subarray(at);
  switch (edit.kind) {
    case 'insert':
      return Buffer.concat([before, Buffer.from(edit.text), after]);
    case 'flip':
      return Buffer.concat([before, Buffer.from([edit.byte]), after.subarray(1)]);
    case 'cut':
      return Buffer.concat([before, after.subarray(edit.size)]);
    case 'repeat':
      return Buffer.concat([before, after.subarray(0, edit.size), after]);
  }
}

/** Values of an unexpected type or size. */
const wrongValue = fc.oneof(
  hostileText,
  fc.constantFrom(null, true, false, 0, -1, 0.5, 1e300, '', [], {}, [null], { '': {} }),
  fc.jsonValue({ maxDepth: 2 }),
);

/** One of these values with up to four of its parts replaced, removed or extended. Still JSON. */
export function jsonNear(values: readonly unknown[]): fc.Arbitrary<unknown> {
  return partsReplaced(fc.constantFrom(...values));
}

export function partsReplaced(values: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> {
  const change = fc.record({
    place: fc.nat(100_000),
    key: hostileText,
    wrong: fc.option(wrongValue, { nil: undefined }),
  });
  return fc
    .tuple(values, fc.array(change, { maxLength: 4 }))
    .map(([value, changes]) => changes.reduce((now, each) => changed(now, each), value));
}

function changed(
  value: unknown,
  { place, key, wrong }: { readonly place: number; readonly key: string; readonly wrong: unknown },
): unknown {
  const paths = pathsIn(value);
  return replaced(value, paths[place % paths.length] ?? [], { key, wrong });
}

function pathsIn(value: unknown, path: readonly string[] = []): readonly (readonly string[])[] {
  if (typeof value !== 'object' || value === null) return [path];
  return [path, ...Object.entries(value).flatMap(([key, part]) => pathsIn(part, [...path, key]))];
}

/** Extends an object with another part, removes a part if the new one is undefined, and replaces everything else. */
function replaced(
  value: unknown,
  [step, ...rest]: readonly string[],
  change: { readonly key: string; readonly wrong: unknown },
): unknown {
  const isObject = typeof value === 'object' && value !== null;
  if (step === undefined || !isObject)
    return isObject && !Array.isArray(value) ? { ...value, [change.key]: change.wrong } : change.wrong;
  const part = replaced(Reflect.get(value, step), rest, change);
  if (Array.isArray(value))
    return value.flatMap((each, index) =>
      String(index) !== step ? [each] : part === undefined ? [] : [part],
    );
  return { ...value, [step]: part };
}

/** The same bytes split into pieces, as a network may deliver them. */
export function inPieces(
  bytes: fc.Arbitrary<Buffer>,
): fc.Arbitrary<{ readonly whole: Buffer; readonly pieces: readonly Buffer[] }> {
  return fc.tuple(bytes, fc.array(fc.nat(100_000), { maxLength: 6 })).map(([whole, cuts]) => {
    const places = [...new Set(cuts.map((cut) => cut % (whole.length + 1)))].toSorted((a, b) => a - b);
    const pieces = [0, ...places].map((from, index) => whole.subarray(from, places[index] ?? whole.length));
    return { whole, pieces: pieces.filter(({ length }) => length > 0) };
  });
}
