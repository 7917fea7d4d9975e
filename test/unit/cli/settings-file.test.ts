import { expect, test } from 'vitest';
import { parseSettingsFile } from '../../../src/cli/parse-settings-file.ts';
import { daemonKeys } from '../../../src/commands/pods.ts';

const lines = (...text: readonly string[]) => `${text.join('\n')}\n`;

function problemsOf(text: string): readonly string[] {
  const parsed = parseSettingsFile(text, 'F', daemonKeys);
  return parsed.kind === 'problems' ? parsed.problems : [];
}

test('values are converted to those of their flags, each with its line', () => {
  const text = lines(
    ...['# a comment', 'apiVips: [10.0.0.5, "fd00::5"]', 'apiPort: 7443', 'haproxy:', '  drainTimeout: 20s'],
    ...['keepalived:', '  virtualRouterIds: [77, 78]', '  firstNode: true', '  realtimePriority: off'],
  );
  expect(parseSettingsFile(text, 'F', daemonKeys)).toEqual({
    kind: 'values',
    values: {
      top: { apiVips: { value: '10.0.0.5,fd00::5', line: 2 }, apiPort: { value: '7443', line: 3 } },
      haproxy: { drainTimeout: { value: '20s', line: 5 } },
      keepalived: {
        virtualRouterIds: { value: '77,78', line: 7 },
        firstNode: { value: true, line: 8 },
        realtimePriority: { value: 'off', line: 9 },
      },
      router: {},
    },
  });
});

test('every problem is listed at once, in line order, with its path', () => {
  const text = lines(
    ...['apiPort: 70000', 'logLevel: loud', 'interface:', 'source: [nodes]', 'haproxy:'],
    ...['  drainTimeout: 55', 'keepalived:', '  firstNode: "yes"', '  virtualRouterIds: [77, 300]'],
  );
  expect(problemsOf(text)).toEqual([
    'F:1: Cannot use apiPort "70000": expected a whole number, 1 to 65535',
    'F:2: Cannot use logLevel "loud": expected debug, info, warn or error',
    'F:3: Cannot use interface (nothing): expected text',
    'F:4: Cannot use source "["nodes"]": expected text',
    'F:6: Cannot use haproxy.drainTimeout "55": expected a number with a unit, such as 500ms, 55s or 2m',
    'F:8: Cannot use keepalived.firstNode "yes": expected true or false',
    expect.stringMatching(/^F:9: Cannot use keepalived\.virtualRouterIds .*"300".*expected 1 to 255$/),
  ]);
});

test.each([
  [
    'a misspelt key',
    'keepalived:\n  monitorTimeot: 1s',
    /^F:2: .*monitorTimeot: unknown, expected one of config, .*; did you mean monitorTimeout\?$/,
  ],
  [
    'a key of the top in a section',
    'haproxy:\n  lbPort: 1',
    /did you mean lbPort, at the top of the file\?$/,
  ],
  [
    'a key of a section at the top',
    'monitorTimeout: 1s',
    /did you mean monitorTimeout, under "keepalived:"\?$/,
  ],
  [
    'a key of two sections',
    'listen: 127.0.0.1:1',
    /did you mean listen, under "haproxy:" or under "keepalived:" or under "router:"\?$/,
  ],
  ['a misspelt section', 'haprox:\n  drainTimeout: 1s', /did you mean haproxy\?$/],
  ['a flag with its dashes', 'api-vips: [10.0.0.5]', /did you mean apiVips\?$/],
  ['a key like nothing known', 'frobnicate: 1', /unknown, expected one of [^;]*$/],
  ['the control socket, which clients find without the file', 'keepalived:\n  socket: /s', /socket: unknown/],
  ['a property of every object', '__proto__: 1', /__proto__: unknown/],
])('%s is an error that suggests the nearest valid key', (_what, text, message) => {
  expect(problemsOf(text)).toEqual([expect.stringMatching(message)]);
});

test.each([
  ['an empty file', '', /^F:1: .*empty/],
  ['only comments', '# nothing\n', /^F:1: .*empty/],
  ['a list', '- a\n', /^F:1: .*not a map of keys/],
  ['text', 'hello\n', /^F:1: .*not a map of keys/],
  ['a key twice', 'apiPort: 1\napiPort: 2\n', /^F:2: .*unique/],
  ['a section that is a number', 'haproxy: 5\n', /^F:1: Cannot use haproxy "5": expected a section/],
  ['two documents', 'apiPort: 1\n---\napiPort: 2\n', /multiple documents/],
  ['a tag', 'logLevel: !shell info\n', /^F:1: .*tag/],
  ['an alias', 'nodeName: &a x\nclusterName: *a\n', /^F:2: .*aliases/],
  ['a quote that does not end', 'logLevel: "info\n', /quote/],
  ['half a list', 'apiVips: [10.0.0.5,\n', /^F:/],
])('%s is refused with its line', (_what, text, message) => {
  expect(problemsOf(text)[0]).toMatch(message);
});

test('input that would expand without bound is refused at once', () => {
  const bomb = Array.from(
    { length: 20 },
    (_, i) => `k${i}: &k${i} [${Array(9).fill(i ? `*k${i - 1}` : 'x')}]`,
  );
  expect(problemsOf(lines(...bomb)).length).toBeLessThanOrEqual(20);
  expect(problemsOf(lines(...bomb))[0]).toMatch(/aliases/);
  expect(problemsOf('['.repeat(100_000)).length).toBeGreaterThan(0);
  expect(problemsOf(`apiPort: ${'{a: '.repeat(5_000)}`).length).toBeGreaterThan(0);
});

test('a section with only comments counts as absent', () => {
  expect(problemsOf('apiPort: 6443\nkeepalived:\n  # monitorTimeout: 1s\n')).toEqual([]);
});
