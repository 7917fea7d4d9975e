import { expect, test } from 'vitest';
import { judgeAccess } from '../../../../src/engine/examine/judge-access.ts';

const access = (verb: string, resource: string, namespace?: string) => ({
  verb,
  group: '',
  resource,
  namespace,
});
const [allowed, denied] = [{ kind: 'allowed' as const }, { kind: 'denied' as const }];

test('what is missing is named kind by kind', () => {
  const asked = [
    { access: access('list', 'routes'), answer: allowed },
    { access: access('list', 'secrets'), answer: denied },
    { access: access('watch', 'secrets'), answer: denied },
    { access: access('get', 'leases', 'infra'), answer: denied },
  ];
  expect(judgeAccess(asked, 'role.yaml')).toEqual({
    kind: 'fail',
    found: 'the API does not let it list, watch secrets; get leases in namespace infra',
    todo: 'kubectl apply -f role.yaml, or rules like those',
  });
});

test('an API that does not answer is no missing right', () => {
  const answer = { kind: 'failure' as const, status: undefined, message: 'connection refused' };
  const asked = [{ access: access('list', 'routes'), answer }];
  expect(judgeAccess(asked, 'role.yaml')).toMatchObject({
    kind: 'unknown',
    found: expect.stringContaining('connection refused'),
  });
});
