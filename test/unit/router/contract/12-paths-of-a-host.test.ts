import { describe, expect, test } from 'vitest';
import { decided, routeObject, verdicts } from '../objects-of.ts';

const edge = { termination: 'edge' };
const passthrough = { termination: 'passthrough' };

function verdictsOf(...specs: readonly object[]): readonly string[] {
  return verdicts(decided(specs.map((spec, age) => routeObject({ name: `r${age}`, age, spec }))));
}

describe('contract 12: in one namespace', () => {
  test('routes with different paths share a host', () => {
    expect(verdictsOf({ path: '/a' }, { path: '/b' }, {})).toEqual([
      'shop:r0 admitted',
      'shop:r1 admitted',
      'shop:r2 admitted',
    ]);
  });

  test.each([
    ['/a', '/a'],
    ['', '/'],
    ['/', '//'],
  ])('the newer of two routes with the paths %j and %j is rejected', (one, other) => {
    expect(verdictsOf({ path: one }, { path: other })).toEqual([
      'shop:r0 admitted',
      'shop:r1 HostAlreadyClaimed',
    ]);
  });

  test.each([
    ['passthrough, then edge with a path', { tls: passthrough }, { tls: edge, path: '/a' }],
    ['edge with a path, then passthrough', { tls: edge, path: '/a' }, { tls: passthrough }],
  ])('the newer of %s is rejected', (_, one, other) => {
    expect(verdictsOf(one, other)).toEqual(['shop:r0 admitted', 'shop:r1 HostAlreadyClaimed']);
  });

  test('a passthrough route and one without TLS share a host', () => {
    expect(verdictsOf({ tls: passthrough }, { path: '/a' })).toEqual([
      'shop:r0 admitted',
      'shop:r1 admitted',
    ]);
  });
});
