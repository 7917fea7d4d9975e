import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type SetFile, sha256Of } from '../../../../src/engine/config/set.ts';
import { type FileKind, planFiles } from '../../../../src/haproxy/runtime/plan-files.ts';

const kindOf = (name: string): FileKind | undefined =>
  (({ m: 'map', l: 'certificate-list', c: 'certificate' }) as const)[name[0] ?? ''];
const file = (name: string, content: string): SetFile => ({ name, content });
const changesOf = (before: readonly SetFile[], after: readonly SetFile[]) => {
  const found = planFiles(before, after, kindOf);
  return found.kind === 'changes' ? found.changes : found.reason.reason;
};

const manyLines = Array.from({ length: 65 }, (_, index) => `h${index}.test x\n`).join('');

test('a certificate is added before a list names it, and removed after the list no longer does', () => {
  const [before, after] = [
    [file('l', 'c1 a.test\n'), file('c1', 'one')],
    [file('l', 'c2 [alpn h2,http/1.1] b.test\n'), file('c2', 'two')],
  ];
  expect(changesOf(before, after)).toEqual([
    { kind: 'certificate', certificate: 'c2', sha256: sha256Of('two') },
    { kind: 'list-line', list: 'l', certificate: 'c2', line: '[alpn h2,http/1.1] b.test' },
    { kind: 'list-line', list: 'l', certificate: 'c1', line: null },
    { kind: 'certificate', certificate: 'c1', sha256: null },
  ]);
});

test('certificates that share a host with a renewed one are renewed after it, in list order', () => {
  const list = file('l', 'c1 a.test\nc2 b.test\nc3 a.test c.test\nc4 c.test\nc5 [alpn h2,http/1.1] d.test\n');
  const [c1, c2, c3, c4, c5] = ['c1', 'c2', 'c3', 'c4', 'c5'].map((name) => file(name, name)) as [
    ...[SetFile, SetFile, SetFile, SetFile, SetFile],
  ];
  const renewed = (...names: readonly SetFile[]) => {
    const all = [c5, c4, c3, c2, c1, list];
    const after = all.map((each) => (names.includes(each) ? file(each.name, 'new') : each));
    const changes = changesOf(all, after);
    return typeof changes === 'string'
      ? changes
      : changes.map((change) => change.kind === 'certificate' && change.certificate);
  };
  expect(renewed(c1)).toEqual(['c1', 'c3', 'c4']);
  expect(renewed(c3)).toEqual(['c3', 'c4']);
  expect(renewed(c4, c1)).toEqual(['c1', 'c3', 'c4']);
  expect(renewed(c2)).toEqual(['c2']);
  expect(renewed(c5)).toEqual(['c5']);
});

test('lines are added to a map before others are removed', () => {
  expect(changesOf([file('m', 'a.test/ x\nb.test/ y\n')], [file('m', 'b.test/ z\nc.test/ y\n')])).toEqual([
    { kind: 'map-line', map: 'm', key: 'b.test/', value: 'z' },
    { kind: 'map-line', map: 'm', key: 'c.test/', value: 'y' },
    { kind: 'map-line', map: 'm', key: 'a.test/', value: null },
  ]);
});

test.each<readonly [string, readonly SetFile[], readonly SetFile[]]>([
  ['a host that has two certificates', [file('l', '')], [file('l', 'c1 a.test\nc2 a.test\n')]],
  ['a list that is new', [], [file('l', '')]],
  ['a map that is new', [], [file('m', '')]],
  ['a map that is gone', [file('m', '')], []],
  ['a map with 65 changed lines', [file('m', '')], [file('m', manyLines)]],
  ['a key of a map that no command can hold', [file('m', '')], [file('m', 'a.test/;show x\n')]],
  ['a key that reads like a number of an entry', [file('m', '')], [file('m', '#1 x\n')]],
  ['a file of another kind', [file('x', '1')], [file('x', '2')]],
  ['options that no command can hold', [file('l', '')], [file('l', 'c1 [crt a;b] a.test\n')]],
])('%s needs a reload', (_, before, after) => {
  expect(planFiles(before, after, kindOf)).toMatchObject({
    kind: 'reload',
    reason: { what: 'files-changed' },
  });
});

/** The content of a map after the changes. */
function played(
  before: ReadonlyMap<string, string>,
  after: string,
  content: string,
): ReadonlyMap<string, string> {
  const lines = new Map(before);
  const changes = changesOf([file('m', content)], [file('m', after)]);
  if (typeof changes === 'string') throw new Error(changes);
  for (const change of changes) {
    if (change.kind !== 'map-line') throw new Error(change.kind);
    if (change.value === null) lines.delete(change.key);
    else lines.set(change.key, change.value);
  }
  return lines;
}

test('property: the changes turn any map into the desired one', () => {
  const maps = fc.uniqueArray(
    fc.tuple(fc.constantFrom('a', 'b', 'c', 'd/', '*.e'), fc.constantFrom('x', 'y')),
    {
      selector: ([key]) => key,
    },
  );
  const textOf = (lines: readonly (readonly [string, string])[]) =>
    lines.map((line) => `${line.join(' ')}\n`).join('');
  fc.assert(
    fc.property(maps, maps, (before, after) => {
      const found = played(new Map(before), textOf(after), textOf(before));
      expect(Object.fromEntries(found)).toEqual(Object.fromEntries(after));
    }),
  );
});
