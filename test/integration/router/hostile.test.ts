import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, expect, test } from 'vitest';
import { othersOf, type Rendered } from '../../../src/engine/apply/file-set.ts';
import { runCommand } from '../../../src/engine/system/process/run-command.ts';
import { createConfigurationCheck } from '../../../src/haproxy/check-configuration.ts';
import { renderRouter } from '../../../src/router/configuration/render-router.ts';
import { selfSigned } from '../../../src/router/configuration/self-signed.ts';
import { writeOut } from '../../../src/router/configuration/write-out.ts';
import type { RouteBackend } from '../../../src/router/model.ts';
import { routeBackend } from '../../helpers/router/route-sets.ts';
import { routerSettings, routerTemplate } from '../../helpers/router/router-settings.ts';

/** No text of a Route becomes a line, a word or an expression of its own, even where admission would let it through. */
const folder = mkdtempSync(join(tmpdir(), 'hawser-hostile-'));
afterAll(() => rmSync(folder, { recursive: true }));
const check = createConfigurationCheck({ haproxyPath: 'haproxy', timeoutMs: 60_000, run: runCommand });
const pem = selfSigned('default', new Date());

const pieces = [
  ...[
    "'",
    '"',
    '\\',
    ' ',
    '\t',
    '#',
    '%',
    '%[',
    ']',
    '%%',
    '$',
    '${',
    '}',
    '{',
    ',',
    '(',
    ')',
    '\n',
    '\r',
    '\0',
    '\u2028',
  ],
  ...[
    '%[env(PATH)]',
    '\n  bind :1',
    "' if TRUE ",
    '\nbackend evil\n',
    '$\u007bHOME}',
    '%[req.hdr(X),lower]',
    '\\x',
    '\\1',
    'é',
    'a',
    '/x',
    '..',
    ':',
    '-f',
    'or',
    '!',
  ],
] as const;
const text = fc.array(fc.constantFrom(...pieces), { maxLength: 5 }).map((parts) => parts.join(''));
/** Mostly harmless: a route is left out as a whole. */
const mostly = (harmless: string) => fc.oneof({ weight: 12, arbitrary: fc.constant(harmless) }, text);

const hostileRoutes = fc.array(
  fc.record({
    kind: fc.constantFrom('http', 'edge', 'reencrypt', 'passthrough'),
    host: mostly('host.test'),
    path: text.map((each) => (each === '' ? '' : `/${each}`)),
    cookie: mostly('c').map((name) => ({ name: name === '' ? 'c' : name, secure: true })),
    hsts: text,
    rewriteTarget: text.map((each) => `/${each}`),
    headers: fc.record({ name: fc.constantFrom('X-A', 'X-B'), value: text }).map(({ name, value }) => ({
      request: [{ kind: 'set' as const, name, value }],
      response: [{ kind: 'set' as const, name, value }],
    })),
    allowlist: mostly('10.0.0.1').map((each) => [each]),
    server: fc.tuple(mostly('pod:a'), mostly('10.0.0.1'), mostly('v')),
    verified: mostly('web.shop.svc'),
  }),
  { minLength: 25, maxLength: 25 },
);

type Hostile = (typeof hostileRoutes extends fc.Arbitrary<infer Routes extends readonly unknown[]>
  ? Routes
  : never)[number];

function routeOf(given: Hostile, index: number): RouteBackend {
  const [name, address, cookie] = given.server;
  return routeBackend({
    ...given,
    key: `ns:r${index}`,
    host: given.host === 'host.test' ? `host${index}.test` : given.host,
    servers: [{ name, address, port: 80, weight: 1, cookie, h2c: false, verifyHost: given.verified }],
    verify: { kind: 'default-ca' },
  });
}

/** The first word of each line: what HAProxy does with it. */
function keywords({ text: configuration }: Rendered): readonly string[] {
  return configuration.split('\n').map((line) => line.trim().split(' ')[0] ?? '');
}

function render(routes: readonly RouteBackend[], lookup: string): Rendered & { readonly left: number } {
  const settings = routerSettings({ HAWSER_LOOKUP: lookup });
  const outcome = renderRouter(routerTemplate, settings, { backends: routes }, pem);
  if (outcome.kind === 'failed') throw new Error(outcome.message);
  return { ...outcome.rendered, left: outcome.leftOut.length };
}

test.each(['hash', 'regex'])('hostile text of routes stays text, with the maps of "%s"', async (lookup) => {
  for (const [run, given] of fc.sample(hostileRoutes, { seed: 71, numRuns: 6 }).entries()) {
    const routes = given.map(routeOf);
    const rendered = render(routes, lookup);
    expect(rendered.left).toBeLessThan(routes.length);
    const backends = new Set([...rendered.text.matchAll(/^backend (\S+)/gm)].map(([, name]) => name));
    const printed = routes.filter(({ name }) => backends.has(name));
    const harmless = printed.map((route, index) =>
      routeOf({ ...harmlessText, kind: route.kind, hsts: route.hsts === '' ? '' : 'x' }, index),
    );
    expect(keywords(rendered)).toEqual(keywords(render(harmless, lookup)));
    for (const { name, content } of othersOf(rendered).filter((file) => file.name.startsWith('maps/')))
      expect({ name, odd: oddLines(String(content), backends) }).toEqual({ name, odd: [] });
    await writeOut(join(folder, `${run}`), rendered);
    expect(await check(join(folder, `${run}`, 'haproxy.cfg'))).toEqual({ kind: 'valid' });
  }
});

const harmlessText: Omit<Hostile, 'kind'> = {
  host: 'host.test',
  path: '/x',
  cookie: { name: 'c', secure: true },
  hsts: 'x',
  rewriteTarget: '/x',
  headers: {
    request: [{ kind: 'set', name: 'X-A', value: 'x' }],
    response: [{ kind: 'set', name: 'X-A', value: 'x' }],
  },
  allowlist: ['10.0.0.1'],
  server: ['pod:a', '10.0.0.1', 'v'],
  verified: 'web.shop.svc',
};

/** Lines that are no key and value of ours. */
function oddLines(content: string, backends: ReadonlySet<string | undefined>): readonly string[] {
  const isOurs = (line: string): boolean => {
    const [key = '', value = '', ...more] = line.split(' ');
    return (
      key !== '' && !key.startsWith('#') && more.length === 0 && (/^[01]$/.test(value) || backends.has(value))
    );
  };
  return content
    .split('\n')
    .slice(0, -1)
    .filter((line) => !isOurs(line));
}
