import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decided, routeObject, verdicts } from '../objects-of.ts';

const first = routeObject({ name: 'first', namespace: 'a', age: 1 });
const second = routeObject({ name: 'second', namespace: 'b', age: 2 });

describe('contract 11: of two routes that claim a host', () => {
  test("the older route gets the host, and the newer one's status does not name it", () => {
    const decision = decided([second, first]);
    expect(verdicts(decision)).toEqual(['a:first admitted', 'b:second HostAlreadyClaimed']);
    expect(decision.admission.rejected[0]).toMatchObject({
      holder: 'a:first',
      message: 'a route in another namespace holds app.example.com and is older',
    });
  });

  test('the newer route gets the host once the older one is deleted', () => {
    expect(verdicts(decided([second]))).toEqual(['b:second admitted']);
  });

  test('of two routes of the same age, the one with the smaller UID gets the host', () => {
    const twins = [
      routeObject({ name: 'x', namespace: 'a', uid: '2' }),
      routeObject({ name: 'y', namespace: 'b', uid: '1' }),
    ];
    expect(verdicts(decided(twins))).toEqual(['a:x HostAlreadyClaimed', 'b:y admitted']);
  });

  test('a route that has not been created yet counts as newer', () => {
    const draft = { ...first, metadata: { name: 'draft', namespace: 'a' } };
    expect(verdicts(decided([draft, second]))).toEqual(['a:draft HostAlreadyClaimed', 'b:second admitted']);
  });

  test('the older one keeps the host while its own content is invalid', () => {
    const broken = { ...first, spec: { ...first.spec, tls: { termination: 'edge', certificate: 'x' } } };
    expect(verdicts(decided([broken, second]))).toEqual([
      'a:first ExtendedValidationFailed',
      'b:second HostAlreadyClaimed',
    ]);
  });

  test("another namespace gets none of the host's paths either, unless allowed", () => {
    const path = { ...second, spec: { ...second.spec, path: '/b' } };
    expect(verdicts(decided([first, path]))).toEqual(['a:first admitted', 'b:second HostAlreadyClaimed']);
    expect(verdicts(decided([first, path], { disableNamespaceOwnership: true }))).toEqual([
      'a:first admitted',
      'b:second admitted',
    ]);
  });
});

const some = fc.record({
  namespace: fc.constantFrom('a', 'b'),
  host: fc.constantFrom('x.example.com', 'y.example.com', 'example.com'),
  age: fc.nat(3),
  spec: fc.record({
    path: fc.constantFrom('', '/', '/p'),
    wildcardPolicy: fc.constantFrom('None', 'Subdomain'),
    tls: fc.constantFrom(undefined, { termination: 'edge' }, { termination: 'passthrough' }),
  }),
});

test('contract 11: the order of objects does not matter, and no two routes share a place', () => {
  fc.assert(
    fc.property(fc.array(some, { maxLength: 12 }), fc.infiniteStream(fc.nat()), (texts, random) => {
      const objects = texts.map((text, index) => routeObject({ ...text, name: `r${index}` }));
      const shuffled = objects
        .map((object) => ({ object, at: random.next().value }))
        .sort((a, b) => a.at - b.at)
        .map(({ object }) => object);
      const [one, other] = [objects, shuffled].map((list) => decided(list, { allowWildcards: true }));
      expect(other).toEqual(one);
      const places =
        one?.model.backends.map(({ host, wildcard, path }) => `${wildcard} ${host}${path}`) ?? [];
      expect(new Set(places).size).toBe(places.length);
    }),
  );
});
