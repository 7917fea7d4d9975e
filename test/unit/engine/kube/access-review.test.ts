import { expect, test } from 'vitest';
import { accessReview, askAccess } from '../../../../src/engine/kube/access-review.ts';
import type { ApiTarget } from '../../../../src/engine/kube/api-request.ts';

const limits = { signal: new AbortController().signal, timeoutMs: 20_000 };
const routesStatus = { verb: 'patch', group: 'route.openshift.io', resource: 'routes/status' };

/** The answer to every request. */
function sessionSaying(value: unknown) {
  const session = {
    firstAnswer: async () => ({
      kind: 'answered' as const,
      answer: { kind: 'object', value } as never,
      target: {} as ApiTarget,
    }),
  };
  return session as unknown as Parameters<typeof askAccess>[0];
}

test("the API's answer is used, and an invalid one is no permission", async () => {
  const ask = async (value: unknown) => await askAccess(sessionSaying(value), routesStatus, limits);
  expect(await ask({ status: { allowed: true } })).toEqual({ kind: 'allowed' });
  expect(await ask({ status: { allowed: false, reason: 'no rule' } })).toEqual({ kind: 'denied' });
  expect(await ask({ kind: 'Status' })).toMatchObject({ kind: 'failure' });
});

test('a subresource is requested under its name in the API, in one namespace or in all', () => {
  expect(accessReview(routesStatus)).toMatchObject({
    method: 'POST',
    path: '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews',
    body: {
      kind: 'SelfSubjectAccessReview',
      spec: {
        resourceAttributes: {
          verb: 'patch',
          group: 'route.openshift.io',
          resource: 'routes',
          subresource: 'status',
        },
      },
    },
  });
  const inOne = accessReview({ verb: 'get', group: '', resource: 'pods', namespace: 'shop' });
  expect(inOne.body).toHaveProperty('spec.resourceAttributes.namespace', 'shop');
  const ofOne = accessReview({
    verb: 'list',
    group: '',
    resource: 'secrets',
    namespace: 'shop',
    name: 'web',
  });
  expect(ofOne.body).toHaveProperty('spec.resourceAttributes.name', 'web');
});
