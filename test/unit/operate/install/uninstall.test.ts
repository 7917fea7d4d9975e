import { expect, test } from 'vitest';
import { installable } from '../../../../src/commands/pods.ts';
import { effectiveSettings } from '../../../../src/operate/install/effective-settings.ts';
import { longestEndMs } from '../../../../src/operate/install/uninstall.ts';

test.each([
  ['apiVips: [192.0.2.100]', 90_000],
  ['{apiVips: [192.0.2.100], haproxy: {drainTimeout: 5m}}', 330_000],
])('with the settings "%s" uninstall waits longer than the kubelet lets the pods drain', (text, ms) => {
  expect(longestEndMs(effectiveSettings(text, installable).pods)).toBe(ms);
});

test('with broken settings uninstall waits for 90 s', () => {
  expect(longestEndMs([])).toBe(90_000);
});
