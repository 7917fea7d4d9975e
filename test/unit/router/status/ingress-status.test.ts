import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { desiredIngressStatuses, ingressStatus } from '../../../../src/router/status/ingress-status.ts';
import { asLoadBalancer, isSameSet } from '../../../../src/router/status/published-addresses.ts';
import { createStatusTable } from '../../../../src/router/status/status-table.ts';
import { managedBy } from '../../../helpers/api-server/object-answer.ts';
import type { StoredObject } from '../../../helpers/api-server/object-store.ts';
import { bareIngress } from '../../../helpers/router/writing.ts';
import { decided } from '../objects-of.ts';

const kind = ingressStatus('public');
const ours = 'hawser-router-public';
const theirs = 'nginx-ingress-controller';

/** An Ingress whose status was written by `manager`. */
const written = (addresses: readonly string[], manager: string): StoredObject => {
  const status = { loadBalancer: { ingress: addresses.map(asLoadBalancer) } };
  return managedBy(manager, { ...bareIngress('shop', 'web'), status }, status);
};
const change = (object: unknown, wish?: readonly string[]) => kind.change(object, wish, new Date(0));

describe('the status of an Ingress', () => {
  test("gets the router's addresses, and host names as hostname", () => {
    expect(change(bareIngress('shop', 'web'), ['192.0.2.1', '2001:db8::1', 'lb.example.com'])).toEqual({
      loadBalancer: { ingress: [{ ip: '192.0.2.1' }, { ip: '2001:db8::1' }, { hostname: 'lb.example.com' }] },
    });
  });

  test('of another controller is replaced only if the router serves the Ingress', () => {
    const object = written(['198.51.100.1'], theirs);
    expect(change(object, ['192.0.2.1'])).toEqual({ loadBalancer: { ingress: [{ ip: '192.0.2.1' }] } });
    expect(change(object)).toBeUndefined();
  });

  test('that the router wrote is removed once it no longer serves the Ingress', () => {
    expect(change(written(['192.0.2.1'], ours))).toEqual({ loadBalancer: { ingress: null } });
    expect(change(written(['192.0.2.1'], 'hawser-router-internal'))).toBeUndefined();
  });

  test.each([
    undefined,
    'x',
    { status: { loadBalancer: { ingress: 'x' } } },
    { metadata: { managedFields: [null, 'x', { manager: ours, subresource: 'status', fieldsV1: {} }] } },
  ])('is written if it differs from the desired one, and never removed: %j', (object) => {
    expect([change(object), change(object, ['192.0.2.1'])]).toEqual([
      undefined,
      { loadBalancer: { ingress: [{ ip: '192.0.2.1' }] } },
    ]);
  });

  test('with thousands of addresses is read only in part', () => {
    const many = Array.from({ length: 5_000 }, (_, index) => `192.0.2.${index % 250}`);
    expect(JSON.stringify(kind.keep(written(many, ours))).length).toBeLessThan(2_000);
  });
});

const someAddresses = fc.uniqueArray(fc.oneof(fc.ipV4(), fc.ipV6(), fc.constantFrom('a.test', 'b.test')), {
  maxLength: 16,
});
const anyStatus = fc.record({ addresses: someAddresses, manager: fc.constantFrom(ours, theirs) });

describe('property: for any status of an Ingress', () => {
  test('nothing is written if the addresses are correct, in any order', () => {
    fc.assert(
      fc.property(someAddresses, (addresses) => {
        expect(change(written(addresses.toReversed(), theirs), addresses)).toBeUndefined();
      }),
    );
  });

  test('one write corrects it, and no second one is needed', () => {
    fc.assert(
      fc.property(anyStatus, fc.option(someAddresses, { nil: undefined }), ({ addresses, manager }, wish) => {
        const before = written(addresses, manager);
        const status = change(before, wish);
        if (status === undefined) return;
        const after = managedBy(ours, { ...before, status }, status);
        expect(change(after, wish)).toBeUndefined();
      }),
    );
  });

  test("without desired addresses, another controller's addresses are never changed", () => {
    fc.assert(
      fc.property(someAddresses, (addresses) => {
        expect(change(written(addresses, theirs))).toBeUndefined();
      }),
    );
  });

  test('the kept fields lead to the same decision as the whole object', () => {
    fc.assert(
      fc.property(anyStatus, anyStatus, fc.option(someAddresses, { nil: undefined }), (one, other, wish) => {
        const a = written(one.addresses, one.manager);
        const b = written(other.addresses, other.manager);
        expect(change(kind.keep(a), wish)).toEqual(change(a, wish));
        expect(kind.isOverwritten(kind.keep(a), kind.keep(b))).toBe(kind.isOverwritten(a, b));
        expect(kind.isOurs(kind.keep(a))).toBe(kind.isOurs(a));
      }),
    );
  });
});

test('lists are equal if they have the same addresses in any order', () => {
  expect(isSameSet(['a', 'b'], ['b', 'a'])).toBe(true);
  expect(isSameSet(['a', 'a'], ['a', 'b'])).toBe(false);
  expect(isSameSet(['a'], [])).toBe(false);
});

describe('the desired status of an Ingress', () => {
  const wantedOf = (objects: readonly StoredObject[], unproven: ReadonlySet<string> = new Set()) => {
    const decision = decided(objects, { ingressClass: 'hawser' });
    const wanted = desiredIngressStatuses(decision, unproven, ['192.0.2.1']);
    return [...wanted].map(([key, { entry }]) => [key, entry]);
  };
  const taken = bareIngress('shop', 'taken');

  test('is the addresses if one of its paths is served, and otherwise nothing', () => {
    const late = { ...taken.metadata, name: 'late', uid: 'late', creationTimestamp: '2026-02-01T00:00:00Z' };
    expect(wantedOf([taken, { ...taken, metadata: late }, bareIngress('shop', 'web', 'nginx')])).toEqual([
      ['shop:taken', ['192.0.2.1']],
      ['shop:late', undefined],
      ['shop:web', undefined],
    ]);
  });

  test('is unchanged while HAProxy has not accepted it, or there is no address', () => {
    const { admission } = decided([taken], { ingressClass: 'hawser' });
    const keys = new Set(admission.admitted.map(({ key }) => key));
    expect(wantedOf([taken], keys)).toEqual([['shop:taken', 'unchanged']]);
    const wanted = desiredIngressStatuses(decided([taken], { ingressClass: 'hawser' }), new Set(), undefined);
    expect(wanted.get('shop:taken')?.entry).toBe('unchanged');
  });
});

test("another controller's change or removal of our address is a contention", () => {
  const table = createStatusTable(kind, undefined, () => 0);
  const at = (version: number, object: StoredObject) => ({
    ...object,
    metadata: { ...object.metadata, resourceVersion: `${version}` },
  });
  const wish = { namespace: 'shop', name: 'web', uid: 'uid-shop-web', entry: ['192.0.2.1'] };
  table.setDesired(new Map([['shop:web', wish]]));
  expect(table.observe(at(1, written(['198.51.100.1'], theirs)))).toMatchObject({ isContended: false });
  table.observe(at(2, written(['192.0.2.1'], ours)));
  expect(table.observe(at(3, written(['198.51.100.1'], theirs)))).toMatchObject({ isContended: true });
});
