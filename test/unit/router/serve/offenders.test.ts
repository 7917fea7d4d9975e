import { expect, test } from 'vitest';
import { firstError, offendersIn } from '../../../../src/router/serve/find-refused.ts';
import { routeBackend } from '../../../helpers/router/route-sets.ts';

const backends = [
  routeBackend({ key: 'shop:web', host: 'a.test' }),
  routeBackend({ key: 'blog:web.v2', host: 'b.test', kind: 'edge' }),
];
const text = [
  'global',
  '  stats socket /s',
  'backend be_http:shop:web from http-append',
  '  balance random',
  '  wrong words here',
  '',
  'backend be_edge_http:blog:web.v2 from http-append',
  '  balance random',
].join('\n');
const found = (...lines: readonly string[]) => [...offendersIn(lines.join('\n'), text, backends)];

test('an error with a line number is attributed to the route of that line, without the location', () => {
  expect(
    found(
      "[ALERT]    (7) : config : parsing [/c/haproxy.cfg.candidate:5] : unknown keyword 'wrong' in 'backend' section",
    ),
  ).toEqual([['shop:web', "unknown keyword 'wrong' in 'backend' section"]]);
});

test('an error that names a backend or a file is attributed to its route', () => {
  expect(found("[ALERT]    (7) : config : backend 'be_edge_http:blog:web.v2': no.")).toEqual([
    ['blog:web.v2', "backend 'be_edge_http:blog:web.v2': no."],
  ]);
  const inList =
    "[ALERT] (7) : config : parsing [/c/h.cfg:2] : unable to load certificate from file 'certs/shop_web.pem'.";
  expect(found(inList).map(([key]) => key)).toEqual(['shop:web']);
});

test('each error blames its route, and an error about two routes is shown to neither', () => {
  expect(
    found('[ALERT] (7) : config : parsing [/c:5] : x', '[ALERT] (7) : config : parsing [/c:8] : y'),
  ).toEqual([
    ['shop:web', 'x'],
    ['blog:web.v2', 'y'],
  ]);
  const both = "[ALERT] (7) : config : 'be_http:shop:web' and 'be_edge_http:blog:web.v2'";
  expect(found(both)).toEqual([
    ['shop:web', ''],
    ['blog:web.v2', ''],
  ]);
});

test('a warning blames no route, however many lines it has', () => {
  const lines = [
    '[WARNING]  (7) : config : parsing [/c:5] : odd',
    "   in 'be_http:shop:web'",
    '[ALERT] (7) : config : Fatal errors found in configuration.',
  ];
  expect(found(...lines)).toEqual([]);
  expect(firstError(lines.join('\n'))).toBe('Fatal errors found in configuration.');
});

test('a line outside all backends, or past the end, blames no route', () => {
  expect(
    found('[ALERT] (7) : config : parsing [/c:2] : x', '[ALERT] (7) : config : parsing [/c:99999] : x'),
  ).toEqual([]);
});

test("a tenant who writes other routes' names into a route blames only that route", () => {
  const quoted =
    "[ALERT] (7) : config : parsing [/c:5] : unknown 'be_edge_http:blog:web.v2 certs/blog_web.v2.pem [/c:8]' in section";
  expect(found(quoted).map(([key]) => key)).toEqual(['shop:web']);
  const elsewhere = "[ALERT] (7) : config : 'be_http:shop:web' : 'a[/c:8]' is wrong";
  expect(found(elsewhere).map(([key]) => key)).toEqual(['shop:web']);
});

test('the name of a backend within the name of a server blames no route', () => {
  expect(found("[ALERT] (7) : config : server 'pod:be_http:shop:web:10.0.0.1:80' is wrong")).toEqual([]);
});
