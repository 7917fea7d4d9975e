import { describe, expect, test } from 'vitest';
import { routerSettings } from '../../../helpers/router/router-settings.ts';
import { decided, routeObject, verdicts } from '../objects-of.ts';

const namespace = (name: string, labels: object = {}) => ({ kind: 'Namespace', metadata: { name, labels } });
const ingress = (name: string, labels: object) => ({
  kind: 'Ingress',
  metadata: { name, namespace: 'shop', labels },
  spec: {
    ingressClassName: 'hawser',
    rules: [{ host: `${name}.example.com`, http: { paths: [{ backend: {} }] } }],
  },
});
const outside = ({ outside: routes }: ReturnType<typeof decided>) => routes.map(({ name }) => name);

describe('contract 22: a router that serves some of the routes', () => {
  const routes = [
    routeObject({ name: 'mine', host: 'mine.example.com', labels: { a: 'b' } }),
    routeObject({ name: 'other', host: 'other.example.com', labels: { a: 'c' } }),
    routeObject({ name: 'bare', namespace: 'pay', host: 'bare.example.com' }),
  ];

  test('by labels of routes ignores the others', () => {
    const { admission } = decided(routes, routerSettings({ ROUTE_LABELS: 'a=b' }));
    expect(admission.admitted.map(({ key }) => key)).toEqual(['shop:mine']);
    expect(admission.rejected).toEqual([]);
  });

  test('by labels of routes also selects Ingresses by their labels', () => {
    const { admission } = decided([ingress('mine', { a: 'b' }), ingress('other', {})], {
      ...routerSettings({ ROUTE_LABELS: 'a' }),
      ingressClass: 'hawser',
    });
    expect(admission.rejected.map(({ host }) => host)).toEqual(['mine.example.com']);
  });

  test.each([
    ['spec.host=mine.example.com', ['shop:mine admitted']],
    ['metadata.namespace=pay', ['pay:bare admitted']],
    ['spec.to.name!=web', []],
  ])('by fields of routes: %s', (selector, admitted) => {
    expect(verdicts(decided(routes, routerSettings({ ROUTE_FIELDS: selector })))).toEqual(admitted);
  });

  test.each(['NAMESPACE_LABELS', 'PROJECT_LABELS'])('by %s selects whole namespaces', (variable) => {
    const settings = routerSettings({ [variable]: 'team in (pay)' });
    const decision = decided([...routes, namespace('shop'), namespace('pay', { team: 'pay' })], settings);
    expect(verdicts(decision)).toEqual(['pay:bare admitted']);
    expect(outside(decision)).toEqual(['mine', 'other']);
    const changed = decided([...routes, namespace('shop', { team: 'pay' }), namespace('pay')], settings);
    expect(verdicts(changed)).toEqual(['shop:mine admitted', 'shop:other admitted']);
    expect(outside(changed)).toEqual(['bare']);
  });

  test('skips an unknown namespace', () => {
    expect(verdicts(decided(routes, routerSettings({ NAMESPACE_LABELS: '!team' })))).toEqual([]);
  });

  test('of all projects, or of one namespace', () => {
    const all = [...routes, namespace('shop'), namespace('pay')];
    expect(verdicts(decided(all, routerSettings({ PROJECT_LABELS: '*' })))).toHaveLength(3);
    expect(verdicts(decided(all, { namespace: 'pay' }))).toEqual(['pay:bare admitted']);
  });

  test('a route of another router claims no host', () => {
    const rival = routeObject({ name: 'rival', host: 'bare.example.com', age: -1 });
    const settings = routerSettings({ NAMESPACE_LABELS: 'team' });
    expect(verdicts(decided([...routes, rival, namespace('pay', { team: 'x' })], settings))).toEqual([
      'pay:bare admitted',
    ]);
  });
});

test.each([
  [{ ROUTE_LABELS: 'a=b,' }, 'label selector'],
  [{ ROUTE_FIELDS: 'spec.tls=x' }, 'spec.host'],
  [{ NAMESPACE_LABELS: 'a in b' }, 'label selector'],
  [{ PROJECT_LABELS: '**' }, '* for all'],
])('contract 22: %j is an error with the expected form', (env, words) => {
  expect(() => routerSettings(env)).toThrow(words);
});
