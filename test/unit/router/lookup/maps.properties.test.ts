import fc from 'fast-check';
import { expect, test } from 'vitest';
import { hashMaps } from '../../../../src/router/lookup/hash-maps.ts';
import {
  askHash,
  askHashTls,
  askPlainly,
  askPlainlyTls,
  askRegex,
  askRegexTls,
} from '../../../helpers/router/ask-maps.ts';
import { requests, routeBackend, routeSets } from '../../../helpers/router/route-sets.ts';

const many = fc.array(requests, { minLength: 20, maxLength: 20 });
const runs = { seed: 71, numRuns: 1_000 };

test('hash maps answer as the rules in words', () => {
  fc.assert(
    fc.property(routeSets, many, (routes, asked) => {
      const maps = hashMaps(routes);
      for (const request of asked) expect(askHash(maps, request)).toEqual(askPlainly(routes, request));
    }),
    runs,
  );
});

test('regex maps answer as the rules in words', () => {
  fc.assert(
    fc.property(routeSets, many, (routes, asked) => {
      for (const request of asked) expect(askRegex(routes, request)).toEqual(askPlainly(routes, request));
    }),
    runs,
  );
});

test('the map of TLS names answers as the rules in words', () => {
  fc.assert(
    fc.property(routeSets, many, (routes, asked) => {
      const maps = hashMaps(routes);
      for (const { host } of asked) expect(askHashTls(maps, host)).toBe(askPlainlyTls(routes, host));
    }),
    runs,
  );
});

test('a TLS name gets the same from the regex maps, but below a passthrough wildcard', () => {
  fc.assert(
    fc.property(routeSets, many, (routes, asked) => {
      const plain = routes.filter(({ kind, wildcard }) => !(kind === 'passthrough' && wildcard));
      for (const { host } of asked) expect(askRegexTls(plain, host)).toBe(askPlainlyTls(plain, host));
    }),
    runs,
  );
});

test('the order of the routes changes no answer', () => {
  fc.assert(
    fc.property(routeSets, (routes) => {
      expect(sorted(hashMaps(routes.toReversed()))).toEqual(sorted(hashMaps(routes)));
    }),
    runs,
  );
});

const sorted = (maps: ReturnType<typeof hashMaps>): string =>
  JSON.stringify(
    [maps.http, maps.secure, maps.redirect]
      .map((each) => [pairs(each.exact), pairs(each.prefix)])
      .concat([pairs(maps.tls)]),
  );
const pairs = (map: ReadonlyMap<string, string>) => [...map].map(([key, value]) => [key, value]).sort();

test('where the byte order is wrong, hash gives the longer path', () => {
  const routes = [
    routeBackend({ host: 'a.com', path: '/docs/', key: 'ns:folder' }),
    routeBackend({ host: 'a.com', path: '/docs/%61', key: 'ns:longer' }),
  ];
  const request = { host: 'a.com', path: '/docs/%61/x' };
  expect(askHash(hashMaps(routes), request).http).toBe('be_http:ns:longer');
  expect(askRegex(routes, request).http).toBe('be_http:ns:folder');
});

test('a host of its own ends TLS below a passthrough wildcard', () => {
  const routes = [
    routeBackend({ host: 'a.com', wildcard: true, kind: 'passthrough', key: 'ns:all' }),
    routeBackend({ host: 'www.a.com', kind: 'reencrypt', key: 'ns:one' }),
  ];
  expect(askHashTls(hashMaps(routes), 'www.a.com')).toBeUndefined();
  expect(askHashTls(hashMaps(routes), 'other.a.com')).toBe('be_tcp:ns:all');
  expect(askRegexTls(routes, 'www.a.com')).toBe('be_secure:ns:one');
});

test('a path with a blank or a line end makes no line', () => {
  const routes = ['/a b', '/a\nevil.com/ be_http:ns:other', '/a\tb'].map((path, index) =>
    routeBackend({ host: 'a.com', path, key: `ns:r${index}` }),
  );
  expect(hashMaps(routes).http).toEqual({ exact: new Map(), prefix: new Map() });
});
