import { X509Certificate } from 'node:crypto';
import { expect, test } from 'vitest';
import { selfSigned } from '../../../../src/router/render/default-certificate.ts';
import { explain, explanationLines } from '../../../../src/router/report/explain.ts';
import { decided, routeObject, sliceObject } from '../objects-of.ts';

const certificate = (name: string) => new X509Certificate(selfSigned(name, new Date()));
const fallback = certificate('router default certificate');
const edge = { tls: { termination: 'edge' } };
const decision = decided(
  [
    routeObject({ name: 'cart', age: 1, spec: { path: '/cart', ...edge } }),
    routeObject({ name: 'root', age: 2 }),
    routeObject({ name: 'copy', age: 3, spec: { path: '/cart' } }),
    routeObject({ name: 'thief', namespace: 'other', age: 4, spec: { path: '/cart' } }),
    routeObject({
      name: 'wild',
      age: 5,
      host: 'x.example.com',
      spec: { wildcardPolicy: 'Subdomain', ...edge },
    }),
    sliceObject('web', 2),
  ],
  { allowWildcards: true },
);
const lines = (scheme: 'http' | 'https', host: string, path: string) =>
  explanationLines(explain(decision, { scheme, host, path }, { lookup: 'hash', strictSni: false }, fallback));

test('explain names the route that answers, and why others do not', () => {
  expect(lines('https', 'App.example.com:443', '/cart/1')).toEqual([
    'https://app.example.com/cart/1',
    '  answered by route shop:cart (app.example.com/cart) through be_edge_http:shop:cart: 2 servers',
    "  certificate: the router's default certificate",
    'other matching routes',
    '  shop:root (app.example.com): the route has no TLS',
    '  shop:wild (*.example.com): an exact host wins over a wildcard',
    '  other:thief (app.example.com/cart): not admitted: HostAlreadyClaimed: a route in another namespace holds app.example.com and is older (shop:cart)',
    '  shop:copy (app.example.com/cart): not admitted: HostAlreadyClaimed: route cart already has app.example.com/cart and is older (shop:cart)',
  ]);
});

test('explain shows that a route accepts no requests without TLS', () => {
  expect(lines('http', 'app.example.com', '/cart').slice(0, 4)).toEqual([
    'http://app.example.com/cart',
    '  answered by route shop:root (app.example.com) through be_http:shop:root: 2 servers',
    'other matching routes',
    '  shop:cart (app.example.com/cart): the route accepts no requests without TLS (insecureEdgeTerminationPolicy None)',
  ]);
});

test('no route answers for an unclaimed host', () => {
  expect(lines('http', 'example.org', '/')).toEqual(['http://example.org/', '  no route answers: 503']);
});

test('control characters in arguments do not move the cursor', () => {
  expect(lines('http', 'a\u001b[2Jb', '/').join('')).not.toContain('\u001b');
});

test('a host without its own certificate is refused with strict SNI', () => {
  const request = { scheme: 'https', host: 'app.example.com', path: '/cart' } as const;
  const settings = { lookup: 'hash', strictSni: true } as const;
  expect(explanationLines(explain(decision, request, settings, fallback))).toContain(
    '  certificate: none: TLS to this host is refused (--strict-sni)',
  );
});

test.each(['app.example.com', '*.example.com'])(
  'with strict SNI, a host is not refused if the default certificate is for %s',
  (name) => {
    const request = { scheme: 'https', host: 'App.example.com:443', path: '/cart' } as const;
    const settings = { lookup: 'hash', strictSni: true } as const;
    expect(explanationLines(explain(decision, request, settings, certificate(name)))).toContain(
      "  certificate: the router's default certificate",
    );
  },
);

test('a route that cannot be rendered does not answer in explain either', () => {
  const backends = decision.model.backends.map((each) =>
    each.key === 'shop:cart' ? { ...each, hsts: 'a\nb' } : each,
  );
  const request = { scheme: 'https', host: 'app.example.com', path: '/cart' } as const;
  const settings = { lookup: 'hash', strictSni: false } as const;
  const { route, others } = explain({ ...decision, model: { backends } }, request, settings, fallback);
  expect(route).toBe('shop:wild');
  expect(others).toContainEqual({
    route: 'shop:cart',
    place: 'app.example.com/cart',
    why: 'left out: its HSTS header cannot be printed',
  });
});
