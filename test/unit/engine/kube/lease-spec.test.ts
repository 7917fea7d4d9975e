import { expect, test } from 'vitest';
import { nextSpec } from '../../../../src/engine/kube/lease-spec.ts';

const now = new Date('2026-01-01T00:00:00.000Z');
const renewTime = '2026-01-01T00:00:00.000000Z';
const renewed = { holderIdentity: 'us', leaseDurationSeconds: 15, renewTime };

test.each([
  ['our own lease is renewed', 'us', renewed],
  ['another lease is taken over', 'other', { ...renewed, acquireTime: renewTime, leaseTransitions: 4 }],
  ['a released lease is taken over', '', { ...renewed, acquireTime: renewTime, leaseTransitions: 4 }],
])('%s', (_what, holderIdentity, expected) => {
  expect(nextSpec({ holderIdentity, leaseTransitions: 3 }, 'us', 15_000, now)).toEqual(expected);
});
