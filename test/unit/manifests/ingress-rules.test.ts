import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { celHolds } from '../../helpers/cel.ts';

const path = join(import.meta.dirname, '../../../manifests/router/ingress-hosts.yaml');
const [policy, binding] = [...parseAllDocuments(readFileSync(path, 'utf8'))].map((each) => each.toJS());

interface Wish {
  readonly hosts?: readonly string[];
  readonly className?: string;
  readonly annotation?: string;
  readonly path?: string;
}

function ingress({ hosts, className, annotation, path = '/' }: Wish) {
  return {
    metadata: annotation === undefined ? {} : { annotations: { 'kubernetes.io/ingress.class': annotation } },
    spec: {
      ...(className !== undefined && { ingressClassName: className }),
      ...(hosts && { rules: hosts.map((host) => ({ host, http: { paths: [{ path }] } })) }),
    },
  };
}

const refused = (before: Wish, after: Wish): boolean =>
  !policy.spec.validations.every(({ expression }: { expression: string }) =>
    celHolds(expression, { object: ingress(after), oldObject: ingress(before) }),
  );

describe('the policy for the hosts of Ingresses (H1)', () => {
  test('applies to updates of Ingresses, and its binding denies', () => {
    expect(policy.spec.matchConstraints.resourceRules).toEqual([
      {
        apiGroups: ['networking.k8s.io'],
        apiVersions: ['v1'],
        operations: ['UPDATE'],
        resources: ['ingresses'],
      },
    ]);
    expect(binding.spec).toEqual({ policyName: policy.metadata.name, validationActions: ['Deny'] });
  });

  test.each<[string, Wish, Wish]>([
    ['another host', { hosts: ['a.test'] }, { hosts: ['b.test'] }],
    ['one more host', { hosts: ['a.test'] }, { hosts: ['a.test', 'b.test'] }],
    ['a first host', {}, { hosts: ['b.test'] }],
    ['a class', { hosts: ['a.test'] }, { hosts: ['a.test'], className: 'hawser' }],
    ['the old annotation', { hosts: ['a.test'] }, { hosts: ['a.test'], annotation: 'hawser' }],
  ])('refuses an edit that gives an Ingress %s', (_, before, after) => {
    expect(refused(before, after)).toBe(true);
  });

  test.each<[string, Wish, Wish]>([
    ['another path', { hosts: ['a.test'] }, { hosts: ['a.test'], path: '/b' }],
    ['one host less', { hosts: ['a.test', 'b.test'] }, { hosts: ['a.test'] }],
    ['no rules', { hosts: ['a.test'], className: 'hawser' }, { className: 'hawser' }],
  ])('accepts an edit that gives an Ingress %s', (_, before, after) => {
    expect(refused(before, after)).toBe(false);
  });
});
