import { describe, expect, test } from 'vitest';
import { answerOf } from '../../../../src/router/render/reference-matcher.ts';
import { decided, routeObject, verdicts } from '../objects-of.ts';

const allowed = { allowWildcards: true };
const wild = (namespace: string, age: number, tls?: object) =>
  routeObject({
    name: 'wild',
    namespace,
    age,
    host: 'any.d.example.com',
    spec: { wildcardPolicy: 'Subdomain', ...(tls && { tls }) },
  });
const exact = (namespace: string, age: number, tls?: object) =>
  routeObject({ name: 'exact', namespace, age, host: 'foo.d.example.com', spec: { ...(tls && { tls }) } });

describe('contract 14: a wildcard route', () => {
  test('is not admitted if wildcards are off', () => {
    expect(verdicts(decided([wild('a', 1)]))).toEqual(['a:wild RouteNotAdmitted']);
  });

  test('answers for hosts one label below its domain, after exact hosts', () => {
    const { model } = decided([wild('a', 1), exact('a', 2)], allowed);
    const keyFor = (host: string) => {
      const answer = answerOf(model, { scheme: 'http', host, path: '/' });
      return answer.kind === 'none' ? undefined : answer.backend.key;
    };
    expect(keyFor('bar.d.example.com')).toBe('a:wild');
    expect(keyFor('foo.d.example.com')).toBe('a:exact');
    expect(keyFor('a.b.d.example.com')).toBeUndefined();
    expect(keyFor('d.example.com')).toBeUndefined();
  });

  test('keeps hosts of other namespaces out of its domain', () => {
    expect(verdicts(decided([wild('a', 1), exact('b', 2)], allowed))).toEqual([
      'a:wild admitted',
      'b:exact HostAlreadyClaimed',
    ]);
  });

  test('does not keep a host without a dot out, which is in no domain', () => {
    const wildcard = routeObject({
      name: 'wild',
      namespace: 'a',
      age: 1,
      host: 'any.intranet',
      spec: { wildcardPolicy: 'Subdomain' },
    });
    const single = routeObject({ name: 'single', namespace: 'b', age: 2, host: 'intranet' });
    expect(verdicts(decided([wildcard, single], allowed))).toEqual(['a:wild admitted', 'b:single admitted']);
  });

  test('is kept out by an older host of another namespace', () => {
    expect(verdicts(decided([wild('a', 2), exact('b', 1)], allowed))).toEqual([
      'a:wild HostAlreadyClaimed',
      'b:exact admitted',
    ]);
  });

  test('coexists with hosts of other namespaces without namespace ownership', () => {
    const policy = { ...allowed, disableNamespaceOwnership: true };
    expect(verdicts(decided([wild('a', 1), exact('b', 2)], policy))).toEqual([
      'a:wild admitted',
      'b:exact admitted',
    ]);
  });

  test.each([
    [1, 2, ['a:exact HostAlreadyClaimed', 'a:wild admitted']],
    [2, 1, ['a:exact admitted', 'a:wild HostAlreadyClaimed']],
  ])(
    'with passthrough takes no connections for hosts that terminate TLS here (ages %d, %d)',
    (one, other, found) => {
      const objects = [
        wild('a', one, { termination: 'passthrough' }),
        exact('a', other, { termination: 'edge' }),
      ];
      expect(verdicts(decided(objects, allowed))).toEqual(found);
    },
  );

  test('without a domain has no valid host', () => {
    const route = routeObject({ name: 'x', host: 'localhost', spec: { wildcardPolicy: 'Subdomain' } });
    expect(verdicts(decided([route], allowed))).toEqual(['shop:x InvalidHost']);
  });
});
