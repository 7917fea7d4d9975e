import { expect, test } from 'vitest';
import { terminalPage } from '../../../scripts/screenshots/terminal.ts';

test('what stands on a terminal is shown as it stands there, colours and all', () => {
  const page = terminalPage('\u001b[31mdegraded\u001b[0m, a < b & c\r\n  up');
  expect(page).toContain('<pre><span class="s31">degraded</span>, a &lt; b &amp; c\n  up</pre>');
});
