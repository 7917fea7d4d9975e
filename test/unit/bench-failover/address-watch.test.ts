import { expect, test } from 'vitest';
import { parseAddressChange } from '../../helpers/vrrp/address-watch.ts';

const wallMs = Date.parse('2026-11-21T04:56:03Z');

test.each([
  [
    '[2026-11-21T04:56:03.846600] 5: eth0    inet 10.77.0.100/32 scope global eth0\\       valid_lft forever',
    { address: '10.77.0.100', present: true, atMs: wallMs + 846.6 + 7 },
  ],
  [
    '[2026-11-21T04:56:03.000001] Deleted 5: eth0@if4    inet6 fd77::100/128 scope global deprecated \\  valid_lft',
    { address: 'fd77::100', present: false, atMs: wallMs + 0.001 + 7 },
  ],
])('netlink says %s', (line, expected) => {
  expect(parseAddressChange(line, 7)).toEqual({ ...expected, atMs: expect.closeTo(expected.atMs, 3) });
});

test('other lines say nothing', () => {
  expect(parseAddressChange('[2026-11-21T04:56:03.000001] Timestamp', 0)).toBeUndefined();
});
