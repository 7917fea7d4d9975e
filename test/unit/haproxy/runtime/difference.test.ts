import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Rendered, SetFile } from '../../../../src/engine/config/set.ts';
import { changedPieces, planBetween } from '../../../../src/haproxy/runtime/difference.ts';
import type { FileKind } from '../../../../src/haproxy/runtime/plan-files.ts';
import { piecesOf } from '../../../../src/haproxy/text/config-text.ts';
import { planOf } from '../../../helpers/plan-of.ts';

const kindOf = (name: string): FileKind | undefined =>
  (({ m: 'map', l: 'certificate-list', c: 'certificate' }) as const)[name[0] ?? ''];
const file = (name: string, content: string): SetFile => ({ name, content });
const backend = (name: string, ...lines: readonly string[]): string =>
  `\nbackend ${name}\n${lines.map((line) => `  ${line}\n`).join('')}`;
const head = 'global\n  maxconn 10\nfrontend main\n  bind :80\n';
const mode = 0o600;
const setOf = (pieces: readonly string[], ...others: readonly SetFile[]): Rendered => ({
  pieces,
  others,
  mode,
  text: pieces.join(''),
});
const one = backend('one', 'server s 10.0.0.1:80');
const two = backend('two', 'server s 10.0.0.1:80');
const moved = { one: one.replace('0.1', '0.2'), two: two.replace('0.1', '0.2') };
const inForm = {
  pieces: (set: Rendered): Rendered => set,
  text: ({ text, others }: Rendered): Rendered => ({ text, mode, ...(others !== undefined && { others }) }),
};

function found(before: Rendered, after: Rendered) {
  const { changes, reload, running } = planBetween(before, after, kindOf);
  const names = changes.map((change) => (change.kind === 'server' ? change.server : change.kind));
  return { names, reload: reload.map(({ reason }) => reason), running };
}

test.each(Object.entries(inForm))('a backend that needs a reload does not delay another: %s', (_, form) => {
  const changed = backend('two', 'balance source', 'server s 10.0.0.9:80');
  const before = setOf([head, one, two]);
  const after = setOf([head, moved.one, changed]);
  const { names, reload, running } = found(form(before), form(after));
  expect(names).toEqual(['one/s']);
  expect(reload).toEqual(['"backend two" differs, not only in its servers']);
  expect(running.text).toBe([head, moved.one, two].join(''));
});

test.each<readonly [string, readonly string[], readonly string[]]>([
  ['a new backend', [head, one], [head, moved.one, two]],
  ['a backend that is gone', [head, one, two], [head, moved.one]],
  ['a frontend', [head, one], [`${head}  maxconn 5\n`, moved.one]],
  [
    'options of a server of another one',
    [head, one, two],
    [head, moved.one, two.replace(':80', ':80 check')],
  ],
])('a moved pod does not wait for %s', (_, before, after) => {
  const { names, reload, running } = found(setOf(before), setOf(after));
  expect(names).toEqual(['one/s']);
  expect(reload).toHaveLength(1);
  expect(running.text).toBe(before.join('').replace(one, moved.one));
});

test('maps are not read for a new route, which needs a reload anyway', () => {
  let reads = 0;
  const map = (lines: string): SetFile => ({
    name: 'm',
    get content() {
      reads += 1;
      return lines;
    },
  });
  const { reload } = found(
    setOf([head, one], map('a one\n')),
    setOf([head, one, two], map('a one\nb two\n')),
  );
  expect([reload, reads]).toEqual([['"backend two" is new'], 0]);
});

test('a moved pod waits if defaults differ, because they may have its options', () => {
  const defaults = (line: string): string => `defaults\n  ${line}\n`;
  const before = defaults('timeout server 1s');
  const after = defaults('timeout server 2s');
  const { names, reload, running } = found(setOf([before, one]), setOf([after, moved.one]));
  expect([names, reload.length]).toEqual([[], 1]);
  expect(running.text).toBe([before, one].join(''));
});

test('nothing is changed at runtime if one backend depends on another', () => {
  const tracking = backend('two', 'server s 10.0.0.1:80 track one/other');
  const before = `${head}${one}${tracking}`;
  const after = `${head}${moved.one}${tracking}  balance source\n`;
  const { names, reload, running } = found({ text: before, mode }, { text: after, mode });
  expect([names, reload.length, running.text]).toEqual([[], 1, before]);
});

test('a renewed certificate does not wait for a new backend; lines of maps and lists do', () => {
  const before = setOf([head, one], file('c1', 'old'), file('l', 'c1 a.test\n'), file('m', 'a.test one\n'));
  const files = [
    file('c1', 'new'),
    file('l', 'c1 a.test\nc2 b.test\n'),
    file('m', 'a.test one\nb.test two\n'),
  ];
  const after = setOf([head, one, two], ...files, file('c2', 'second'));
  const { names, running } = found(before, after);
  expect(names).toEqual(['certificate']);
  expect(running.others).toEqual([file('c1', 'new'), ...(before.others ?? []).slice(1)]);
});

test.each<readonly [string, readonly SetFile[], readonly SetFile[]]>([
  [
    'its line in the list changes',
    [file('c1', 'old'), file('l', 'c1 [alpn h2] a.test\n')],
    [file('c1', 'new'), file('l', 'c1 a.test\n')],
  ],
  [
    'another route still has its content',
    [file('c1', 'old'), file('c2', 'new'), file('l', 'c1 a.test\nc2 b.test\n')],
    [file('c1', 'new'), file('l', 'c1 a.test\n')],
  ],
  [
    'one that shares a host with it is about to go',
    [file('c1', 'old'), file('c2', 'x'), file('l', 'c1 a.test\nc2 a.test\n')],
    [file('c1', 'new'), file('l', 'c1 a.test\n')],
  ],
])('a renewed certificate waits for the reload while %s', (_, before, after) => {
  const { names, running } = found(setOf([head, one], ...before), setOf([head, one, two], ...after));
  expect([names, running.others]).toEqual([[], before]);
});

test('property: the result of the changes is between both sets, and only the rest needs a reload', () => {
  const backends = fc.array(
    fc.constantFrom('', 'server s 10.0.0.1:80', 'server s 10.0.0.2:80 weight 3', 'balance source'),
    { minLength: 4, maxLength: 4 },
  );
  const files = fc.array(fc.constantFrom('old', 'new'), { minLength: 2, maxLength: 2 });
  const worlds = fc.tuple(backends, files, fc.constantFrom(head, `${head}  maxconn 5\n`));
  const made = ([lines, contents, first]: readonly [
    readonly string[],
    readonly string[],
    string,
  ]): Rendered =>
    setOf(
      [first, ...lines.map((line, index) => (line === '' ? '' : backend(`b${index}`, line))).filter(Boolean)],
      ...contents.map((content, index) => file(`c${index}`, `${content} ${index}`)),
    );
  fc.assert(
    fc.property(worlds, worlds, fc.constantFrom(...Object.values(inForm)), (old, now, form) => {
      const before = form(made(old));
      const after = form(made(now));
      const { changes, reload, running } = planBetween(before, after, kindOf);
      const there = planBetween(before, running, kindOf);
      const rest = planBetween(running, after, kindOf);
      expect(there).toMatchObject({ changes, reload: [] });
      expect(rest).toMatchObject({ changes: [], reload });
      if (reload.length === 0)
        expect(planOf(planBetween(running, after, kindOf))).toEqual({ kind: 'nothing' });
    }),
  );
});

const same = 'server s 10.0.0.1:80';
const first = 'server s 10.0.0.2:80';
const second = 'server s 10.0.0.3:80';
const textOf = (ofOne: string, ofTwo: string) => `${head}${backend('one', ofOne)}${backend('two', ofTwo)}`;

const changedTexts = (one: string, other: string) => {
  const { before, after } = changedPieces(piecesOf({ text: one }), piecesOf({ text: other }));
  return { before: before.join(''), after: after.join('') };
};

test.each([
  ['plain servers', same],
  ["a tenant's header that reads like a reference", 'http-response set-header X "a track b .if c"'],
])('an unchanged backend is not compared despite %s', (_, line) => {
  expect(changedTexts(textOf(line, first), textOf(line, second))).toEqual({
    before: `${head}${backend('two', first)}`,
    after: `${head}${backend('two', second)}`,
  });
});

test.each([
  ['a server tracks another one', 'server s 10.0.0.1:80 check track two/s weight 1'],
  ['servers track one by default', 'default-server\ttrack\ttwo/s'],
  ['parts depend on conditions', '.if defined(X)'],
])('the whole file is compared if %s', (_, line) => {
  const whole = { before: textOf(line, first), after: textOf(line, second) };
  expect(changedTexts(whole.before, whole.after)).toEqual(whole);
});
