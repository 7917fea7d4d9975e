import { expect, test } from 'vitest';
import { unifiedDiff } from '../../../../src/operate/install/plan-text.ts';

test('shows changes with three lines of context, and is empty without a change', () => {
  const before = 'a\nb\nc\nd\ne\nf\ng\nh\n';
  expect(unifiedDiff('/f', before, before)).toBe('');
  expect(unifiedDiff('/f', before, before.replace('e\n', 'E\n'))).toBe(
    '--- /f\n+++ /f\n@@ -2,7 +2,7 @@\n b\n c\n d\n-e\n+E\n f\n g\n h\n',
  );
});
