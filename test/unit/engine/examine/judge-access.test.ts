import { expect, test } from 'vitest';
import { judgeAccess } from '../../../../src/engine/examine/judge-access.ts';
import type { Access } from '../../../../src/engine/kube/access-review.ts';

const access = (verb: string, resource: string, namespace?: string) => ({
  verb,
  group: '',
  resource,
  namespace,
});
const [allowed, denied] = [{ kind: 'allowed' as const }, { kind: 'denied' as const }];

const remedyOf = (denied: readonly Access[]) => `give ${denied.map(({ resource }) => resource).join(', ')}`;

test('missing permissions are named by kind', () => {
  const asked = [
    { access: access('list', 'routes'), answer: allowed },
    { access: access('list', 'secrets'), answer: denied },
    { access: access('watch', 'secrets'), answer: denied },
    { access: access('get', 'leases', 'infra'), answer: denied },
  ];
  expect(judgeAccess(asked, remedyOf)).toEqual({
    kind: 'fail',
    message: 'the API does not let it list, watch secrets; get leases in namespace infra',
    remedy: 'give secrets, secrets, leases',
  });
});

test('an API that does not answer is no missing right', () => {
  const answer = { kind: 'failure' as const, status: undefined, message: 'connection refused' };
  const asked = [{ access: access('list', 'routes'), answer }];
  expect(judgeAccess(asked, remedyOf)).toMatchObject({
    kind: 'unknown',
    message: expect.stringContaining('connection refused'),
  });
});

test('a right to one object is named with it', () => {
  const asked = [{ access: { ...access('list', 'secrets', 'shop'), name: 'web' }, answer: denied }];
  expect(judgeAccess(asked, remedyOf)).toMatchObject({
    message: 'the API does not let it list secrets web in namespace shop',
  });
});
