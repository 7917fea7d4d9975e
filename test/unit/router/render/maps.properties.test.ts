import fc from 'fast-check';
import { expect, test } from 'vitest';
import { runs } from '../../../helpers/property-seed.ts';
import { askHash, askRegex, expectedAnswer, hashMaps } from '../../../helpers/router/ask-maps.ts';
import { requests, routeBackend, routeSets } from '../../../helpers/router/route-sets.ts';

const many = fc.array(requests, { minLength: 20, maxLength: 20 });
const parameters = { numRuns: runs(1_000) };
const schemes = ['http', 'https'] as const;

test.each(schemes)('hash maps answer %s like the reference matcher', (scheme) => {
  fc.assert(
    fc.property(routeSets, many, (routes, asked) => {
      const maps = hashMaps(routes);
      for (const request of asked)
        expect(askHash(maps, scheme, request)).toBe(expectedAnswer(routes, scheme, request));
    }),
    parameters,
  );
});

test.each(schemes)('regex maps answer %s like the reference matcher', (scheme) => {
  fc.assert(
    fc.property(routeSets, many, (routes, asked) => {
      for (const request of asked)
        expect(askRegex(routes, scheme, request)).toBe(expectedAnswer(routes, scheme, request));
    }),
    parameters,
  );
});

test('the order of the routes does not matter', () => {
  fc.assert(
    fc.property(routeSets, (routes) => {
      expect(sorted(hashMaps(routes.toReversed()))).toEqual(sorted(hashMaps(routes)));
    }),
    parameters,
  );
});

const sorted = (maps: ReturnType<typeof hashMaps>): string =>
  JSON.stringify(
    [maps.http, maps.secure, maps.redirect]
      .map((each) => [pairs(each.exact), pairs(each.prefix)])
      .concat([pairs(maps.tls)]),
  );
const pairs = (map: ReadonlyMap<string, string>) => [...map].map(([key, value]) => [key, value]).sort();

test('if the byte order misleads regex maps, hash maps return the longer path', () => {
  const routes = [
    routeBackend({ host: 'a.com', path: '/docs/', key: 'ns:folder' }),
    routeBackend({ host: 'a.com', path: '/docs/%61', key: 'ns:longer' }),
  ];
  const request = { host: 'a.com', path: '/docs/%61/x' };
  expect(askHash(hashMaps(routes), 'http', request)).toBe('be_http:ns:longer');
  expect(askRegex(routes, 'http', request)).toBe('be_http:ns:folder');
});

test('a path with a space or a newline has no line', () => {
  const routes = ['/a b', '/a\nevil.com/ be_http:ns:other', '/a\tb'].map((path, index) =>
    routeBackend({ host: 'a.com', path, key: `ns:r${index}` }),
  );
  expect(hashMaps(routes).http).toEqual({ exact: new Map(), prefix: new Map() });
});
