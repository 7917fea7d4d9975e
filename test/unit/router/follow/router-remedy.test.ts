import { expect, test } from 'vitest';
import { routerRemedy } from '../../../../src/router/follow/router-resources.ts';

const refusal = (resource: string): string =>
  `Cannot list it: ${resource} is forbidden: User "system:serviceaccount:hawser-router:router" cannot list resource "${resource}" in API group "" at the cluster scope`;

test("the remedy for a kind that may not be listed names the router's role, and for Secrets also --secrets false", () => {
  expect(routerRemedy(refusal('services'))).toBe(
    'expected a role that allows "system:serviceaccount:hawser-router:router" to list and watch services, such as the one in manifests/router/rbac.yaml',
  );
  expect(routerRemedy(refusal('secrets'))).toMatch(/, or --secrets false if no route names a Secret$/);
  expect(routerRemedy('Unauthorized')).toBeUndefined();
});
