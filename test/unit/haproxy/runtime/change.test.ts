import { expect, test } from 'vitest';
import {
  decodeChangeRequest,
  describeChange,
  type RuntimeChange,
} from '../../../../src/haproxy/runtime/change.ts';

const wanted = { address: 'fd00::1', port: 6443, weight: 256, options: 'slowstart 60s ca-file /etc/ca.pem' };
const change: RuntimeChange = { kind: 'server', server: 'masters/cp-1', wanted };
const lineOf = (changes: unknown) => JSON.stringify({ from: 'a', to: 'b', changes: [changes] });

test("a change is decoded as it was sent, and described with its address in HAProxy's form", () => {
  expect(decodeChangeRequest(lineOf(change))).toEqual({ from: 'a', to: 'b', changes: [change] });
  expect(describeChange(change)).toBe('masters/cp-1 [fd00::1]:6443');
  expect(describeChange({ ...change, wanted: null })).toBe('-masters/cp-1');
});

test.each([
  ['ends the command', { ...change, server: 'masters/cp-1;shutdown' }],
  ['begins another line', { ...change, wanted: { ...wanted, options: 'check\n@1 show info' } }],
  ['has a payload', { ...change, wanted: { ...wanted, options: 'check <<' } }],
  ['quotes', { ...change, wanted: { ...wanted, options: 'check \\' } }],
  ['names another server in its address', { ...change, wanted: { ...wanted, address: '10.0.0.1 port' } }],
])('a change that %s is refused', (_, hostile) => {
  expect(decodeChangeRequest(lineOf(hostile))).toBeUndefined();
});
