import { expect, test } from 'vitest';
import { judgeLease } from '../../../../src/router/report/checks.ts';

const now = Date.parse('2026-11-21T00:01:00Z');
const lease = (spec: object) => ({
  kind: 'object' as const,
  value: { metadata: { resourceVersion: '7' }, spec },
});
const held = {
  holderIdentity: 'router-1',
  leaseDurationSeconds: 15,
  renewTime: '2026-11-21T00:00:55.000000Z',
};

test.each([
  ['renewed by its holder', lease(held), 'ok'],
  ['given back', lease({ ...held, holderIdentity: '' }), 'warn'],
  ['of a holder that is gone', lease({ ...held, renewTime: '2026-11-21T00:00:10.000000Z' }), 'fail'],
  ['of a holder without a time', lease({ holderIdentity: 'router-1' }), 'fail'],
  ['not there', { kind: 'refused' as const, status: 404, message: 'not found' }, 'fail'],
  ['that may not be read', { kind: 'failure' as const, status: 403, message: 'forbidden' }, 'unknown'],
])('a Lease %s', (_, answer, kind) => {
  expect(judgeLease('hawser-router-public', answer, now).kind).toBe(kind);
});
