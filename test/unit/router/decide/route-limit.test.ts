import { describe, expect, test } from 'vitest';
import { decided, routeObject, sliceObject, verdicts } from '../objects-of.ts';

const most = { maxRoutesPerNamespace: 3, ingressClass: 'hawser' };
const message = 'namespace shop has more than 3 Routes and Ingress paths, the limit of a namespace: ';

function ingressObject(name: string, paths: number, age: number, className = 'hawser') {
  const backend = { service: { name: 'web', port: { number: 80 } } };
  return {
    kind: 'Ingress',
    metadata: {
      name,
      namespace: 'shop',
      uid: name,
      creationTimestamp: new Date(Date.UTC(2026, 0, 1) + age * 1_000).toISOString(),
    },
    spec: {
      ingressClassName: className,
      rules: [
        {
          host: `${name}.example.com`,
          http: {
            paths: Array.from({ length: paths }, (_, index) => ({
              path: `/${index}`,
              pathType: 'Exact',
              backend,
            })),
          },
        },
      ],
    },
  };
}

describe('a namespace with too many routes', () => {
  const routes = [4, 2, 3, 1].map((age) =>
    routeObject({ name: `r${age}`, host: `r${age}.example.com`, age }),
  );
  const other = routeObject({ name: 'web', namespace: 'other', host: 'other.example.com', age: 9 });

  test("has its oldest routes served, and the reason in the others' status", () => {
    const decision = decided([...routes, other], most);
    expect(verdicts(decision)).toEqual([
      'other:web admitted',
      'shop:r1 admitted',
      'shop:r2 admitted',
      'shop:r3 admitted',
      'shop:r4 RouteNotAdmitted',
    ]);
    expect(decision.admission.rejected[0]?.message).toBe(`${message}the oldest are served`);
  });

  test('has all its routes served while it is within the limit', () => {
    expect(decided(routes.slice(1), most).admission.rejected).toEqual([]);
  });

  test('has each path of an Ingress counted, and the paths that fit are served', () => {
    const decision = decided(
      [ingressObject('a', 2, 1), ingressObject('b', 2, 2), ingressObject('c', 2, 3)],
      most,
    );
    expect(decision.admission.admitted.map(({ host, path }) => `${host}${path}`).sort()).toEqual([
      'a.example.com/0',
      'a.example.com/1',
      'b.example.com/0',
    ]);
    const { rejected } = decision.admission;
    expect(rejected.map(({ route }) => route.ingress)).toEqual(['b', 'c']);
    expect(rejected[0]?.message).toBe(`${message}paths of this Ingress are left out`);
  });

  test('does not count Ingresses of another class', () => {
    const decision = decided([ingressObject('a', 3, 1, 'nginx'), ingressObject('b', 3, 2)], most);
    expect(decision.admission.rejected).toEqual([]);
  });

  test('claims no host with a route over the limit', () => {
    const late = routeObject({ name: 'r5', host: 'other.example.com', age: 5 });
    expect(verdicts(decided([...routes, late, other], most))).toContain('other:web admitted');
  });
});

test("a namespace's routes have at most 50,000 servers, and no more are built", () => {
  const wide = {
    ...sliceObject('web', 250),
    ports: Array.from({ length: 20 }, (_, index) => ({ port: index + 1, name: `p${index}` })),
  };
  const routes = Array.from({ length: 12 }, (_, index) =>
    routeObject({ name: `r${index + 10}`, host: `r${index}.example.com` }),
  );
  const decision = decided([...routes, wide]);
  expect(decision.model.backends).toHaveLength(10);
  expect(decision.admission.rejected.map(({ key, reason }) => `${key} ${reason}`)).toEqual([
    'shop:r20 Unprintable',
    'shop:r21 Unprintable',
  ]);
});
