import { expect, test } from 'vitest';
import { changedSections } from '../../../../src/haproxy/runtime/changed-sections.ts';

const backend = (name: string, line: string) => `\nbackend ${name}\n  ${line}\n`;
const head = 'frontend main\n  bind :80\n';
const [same, before, after] = ['server s 10.0.0.1:80', 'server s 10.0.0.2:80', 'server s 10.0.0.3:80'];
const textOf = (first: string, second: string) => `${head}${backend('one', first)}${backend('two', second)}`;

test.each([
  ['plain servers', same],
  ["a tenant's header that reads like a reference", 'http-response set-header X "a track b .if c"'],
])('an unchanged backend is left out despite %s', (_, line) => {
  expect(changedSections({ text: textOf(line, before) }, { text: textOf(line, after) })).toEqual({
    before: `${head}${backend('two', before)}`,
    after: `${head}${backend('two', after)}`,
  });
});

test.each([
  ['a server tracks another one', 'server s 10.0.0.1:80 check track two/s weight 1'],
  ['servers track one by default', 'default-server\ttrack\ttwo/s'],
  ['parts depend on conditions', '.if defined(X)'],
])('the whole file is compared if %s', (_, line) => {
  const whole = { before: textOf(line, before), after: textOf(line, after) };
  expect(changedSections({ text: whole.before }, { text: whole.after })).toEqual({ ...whole, isWhole: true });
});
