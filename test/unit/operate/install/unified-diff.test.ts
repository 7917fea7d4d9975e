import fc from 'fast-check';
import { expect, test } from 'vitest';
import { unifiedDiff } from '../../../../src/operate/install/plan-text.ts';

/** What patch(1) does. */
function patched(before: string, diff: string): string {
  const old = before.split('\n');
  const out: string[] = [];
  let next = 0;
  for (const line of diff.split('\n').slice(2, -1)) {
    const [, start, length] = /^@@ -(\d+),(\d+) /.exec(line) ?? [];
    if (start !== undefined) {
      const first = Number(start) - (length === '0' ? 0 : 1);
      out.push(...old.slice(next, first));
      next = first;
    } else if (line.startsWith('+')) out.push(line.slice(1));
    else {
      expect(old[next]).toBe(line.slice(1));
      if (line.startsWith(' ')) out.push(line.slice(1));
      next += 1;
    }
  }
  return [...out, ...old.slice(next)].join('\n');
}

test('shows what changes with three lines around it, and nothing without a change', () => {
  const before = 'a\nb\nc\nd\ne\nf\ng\nh\n';
  expect(unifiedDiff('/f', before, before)).toBe('');
  expect(unifiedDiff('/f', before, before.replace('e\n', 'E\n'))).toBe(
    '--- /f\n+++ /f\n@@ -2,7 +2,7 @@\n b\n c\n d\n-e\n+E\n f\n g\n h\n',
  );
});

test('property: a text patched with the difference is the other text', () => {
  const text = fc
    .array(fc.constantFrom('a', 'b', 'c', 'd'), { minLength: 1, maxLength: 40 })
    .map((lines) => `${lines.join('\n')}\n`);
  fc.assert(
    fc.property(text, text, (before, after) => {
      const diff = unifiedDiff('f', before, after);
      expect(diff === '' ? before : patched(before, diff)).toBe(after);
    }),
  );
});
