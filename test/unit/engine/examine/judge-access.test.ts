import { expect, test } from 'vitest';
import { judgeAccess } from '../../../../src/engine/examine/judge-access.ts';
import type { Access } from '../../../../src/engine/kube/access-review.ts';

const access = (verb: string, resource: string, at: Partial<Access> = {}): Access => ({
  verb,
  group: '',
  resource,
  namespace: undefined,
  ...at,
});
const allowed = { kind: 'allowed' as const };
const denied = { kind: 'denied' as const };
const silent = { kind: 'failure' as const, status: undefined, message: 'connection refused' };

test.each([
  [
    'is named by kind, with the remedy for all of them',
    [
      { access: access('list', 'routes'), answer: allowed },
      { access: access('list', 'secrets'), answer: denied },
      { access: access('watch', 'secrets'), answer: denied },
      { access: access('get', 'leases', { namespace: 'infra' }), answer: denied },
    ],
    {
      kind: 'fail',
      remedy: 'give secrets, secrets, leases',
      message: 'the API does not let it list, watch secrets; get leases in namespace infra',
    },
  ],
  [
    'to one object is named with it',
    [{ access: access('list', 'secrets', { namespace: 'shop', name: 'web' }), answer: denied }],
    { kind: 'fail', message: 'the API does not let it list secrets web in namespace shop' },
  ],
  [
    'is unknown while the API does not answer',
    [{ access: access('list', 'routes'), answer: silent }],
    { kind: 'unknown', message: 'the API does not answer: connection refused' },
  ],
])('a missing permission %s', (_, asked, finding) => {
  const remedyOf = (missing: readonly Access[]) =>
    `give ${missing.map(({ resource }) => resource).join(', ')}`;
  expect(judgeAccess(asked, remedyOf)).toMatchObject(finding);
});
