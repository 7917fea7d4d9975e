import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  type DesiredEntry,
  desiredIngress,
  type IngressEntry,
  ingressEntries,
} from '../../../../src/router/status/ingress-entries.ts';

const router = { name: 'public', canonicalHostname: 'router.example.com' };
const then = new Date('2026-01-01T00:00:00.123Z');
const now = new Date('2026-02-02T00:00:00Z');
const admitted: DesiredEntry = { host: 'app.example.com', wildcardPolicy: 'None' };
const rejected: DesiredEntry = {
  ...admitted,
  refusal: { reason: 'HostAlreadyClaimed', message: 'route web already has app.example.com and is older' },
};
const foreign = {
  routerName: 'internal',
  host: 'x',
  conditions: [{ type: 'Admitted', status: 'True' }],
  odd: [1],
};

const write = (before: readonly IngressEntry[], wanted: DesiredEntry | undefined, at = now) =>
  desiredIngress(before, wanted, router, at);
const ours = (wanted: DesiredEntry): IngressEntry => write([], wanted, then)?.[0] ?? {};

describe('our entry of a status', () => {
  test('reports that the route is admitted', () => {
    expect(write([], admitted, then)).toEqual([
      {
        host: 'app.example.com',
        routerName: 'public',
        routerCanonicalHostname: 'router.example.com',
        wildcardPolicy: 'None',
        conditions: [{ type: 'Admitted', status: 'True', lastTransitionTime: '2026-01-01T00:00:00Z' }],
      },
    ]);
  });

  test('reports why the route is not admitted, with its host', () => {
    expect(ours(rejected)).toMatchObject({
      host: 'app.example.com',
      conditions: [{ type: 'Admitted', status: 'False', ...rejected.refusal }],
    });
  });

  test('has no canonical host name if the router has none', () => {
    const [entry] =
      desiredIngress([ours(admitted)], admitted, { ...router, canonicalHostname: '' }, now) ?? [];
    expect(entry).not.toHaveProperty('routerCanonicalHostname');
    expect(entry).toMatchObject({ conditions: ours(admitted)['conditions'] });
  });

  test('keeps its position among entries of other routers, which stay unchanged', () => {
    const last = { ...foreign, routerName: 'last' };
    const written = write([foreign, ours(rejected), last], admitted);
    expect(written?.map(({ routerName }) => routerName)).toEqual(['internal', 'public', 'last']);
    expect([written?.[0], written?.[2]]).toEqual([foreign, last]);
    expect(write([foreign], admitted)).toEqual([foreign, expect.objectContaining({ routerName: 'public' })]);
  });

  test.each([
    ['a condition', { ...admitted, wildcardPolicy: 'None' }, rejected],
    ['a reason', rejected, { ...rejected, refusal: { reason: 'NoHostValue', message: '' } }],
    ['the host', admitted, { ...admitted, host: 'b.example.com' }],
  ])('has a new time once %s changes', (_, before, wanted) => {
    expect(write([ours(before)], wanted)?.[0]).toMatchObject({
      conditions: [{ lastTransitionTime: '2026-02-02T00:00:00Z' }],
    });
  });

  test('keeps its time if only the wildcard policy changes', () => {
    expect(write([ours(admitted)], { ...admitted, wildcardPolicy: 'Subdomain' })?.[0]).toMatchObject({
      conditions: [{ lastTransitionTime: '2026-01-01T00:00:00Z' }],
    });
  });

  test('is up to date for any order of its fields, and with other fields', () => {
    const [condition = {}] = ours(admitted)['conditions'] as IngressEntry[];
    const stored = { ...Object.fromEntries(Object.entries(ours(admitted)).reverse()), later: true };
    const reversed = Object.fromEntries(Object.entries(condition).reverse());
    expect(write([{ ...stored, conditions: [reversed] }], admitted)).toBeUndefined();
    expect(write([{ ...stored, conditions: [reversed] }], rejected)?.[0]).toMatchObject({ later: true });
  });

  test('loses only the condition UnservableInFutureVersions of an older router', () => {
    const conditions = [
      { type: 'UnservableInFutureVersions', status: 'True' },
      ...(ours(admitted)['conditions'] as object[]),
      { type: 'Other', status: 'True' },
    ];
    expect(write([{ ...ours(admitted), conditions }], admitted)?.[0]?.['conditions']).toEqual([
      { type: 'Admitted', status: 'True', lastTransitionTime: '2026-01-01T00:00:00Z' },
      { type: 'Other', status: 'True' },
    ]);
  });

  test('is removed only if the route belongs to another router', () => {
    expect(write([foreign, ours(admitted)], undefined)).toEqual([foreign]);
    expect(write([foreign], undefined)).toBeUndefined();
  });

  test("two entries of this router in a Route's status become one", () => {
    expect(write([ours(admitted), foreign, ours(rejected)], admitted)).toEqual([ours(admitted), foreign]);
  });
});

test.each([
  undefined,
  null,
  'x',
  {},
  { status: 'x' },
  { status: { ingress: {} } },
  { status: { ingress: null } },
])('a route without a readable status has no entries: %j', (route) => {
  expect(ingressEntries(route)).toEqual([]);
});

const word = fc.constantFrom('', 'a', 'b');
const condition = fc.record(
  {
    type: fc.constantFrom('Admitted', 'UnservableInFutureVersions', 'c'),
    status: word,
    reason: word,
    message: word,
  },
  { requiredKeys: [] },
);
const entry = fc.record(
  {
    routerName: fc.constantFrom('public', 'internal'),
    host: word,
    wildcardPolicy: word,
    routerCanonicalHostname: word,
    conditions: fc.oneof(fc.array(condition, { maxLength: 3 }), fc.jsonValue()),
  },
  { requiredKeys: ['routerName'] },
);
const wish = fc.option(
  fc.record(
    { host: word, wildcardPolicy: word, refusal: fc.record({ reason: word, message: word }) },
    { requiredKeys: ['host', 'wildcardPolicy'] },
  ),
  { nil: undefined },
);

test('a written entry is not written again, and other routers keep theirs', () => {
  fc.assert(
    fc.property(fc.array(entry, { maxLength: 4 }), wish, (before, wanted) => {
      const status = ingressEntries({ status: { ingress: before } });
      const written = write(status, wanted);
      const others = (list: readonly IngressEntry[]) =>
        list.filter(({ routerName }) => routerName !== 'public');
      expect(others(written ?? status)).toEqual(others(status));
      expect(write(ingressEntries({ status: { ingress: written ?? status } }), wanted)).toBeUndefined();
    }),
  );
});
