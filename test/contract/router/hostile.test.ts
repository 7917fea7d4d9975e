import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { runCommand } from '../../../src/engine/system/process/run-command.ts';
import { createConfigurationCheck } from '../../../src/haproxy/check-configuration.ts';
import type { RouteBackend } from '../../../src/router/model.ts';
import { selfSigned } from '../../../src/router/render/default-certificate.ts';
import { writeOut } from '../../../src/router/render/write-out.ts';
import { hostilePieces } from '../../helpers/router/hostile-text.ts';
import { mustBePlain, print } from '../../helpers/router/printed.ts';
import { routeBackend } from '../../helpers/router/route-sets.ts';
import { routerSettings } from '../../helpers/router/router-settings.ts';
import { fileFolder } from '../../helpers/test-folder.ts';

/** No text of a Route becomes a line, a word or an expression of its own, even if admission would accept it. */
const folder = fileFolder();
const check = createConfigurationCheck({ haproxyPath: 'haproxy', timeoutMs: 60_000, run: runCommand });
const pem = selfSigned('default', new Date());

const text = fc.array(fc.constantFrom(...hostilePieces), { maxLength: 5 }).map((parts) => parts.join(''));
/** Mostly harmless, since one hostile text leaves out the whole route. */
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
    server: fc.tuple(mostly('pod:a'), mostly('10.0.0.1')),
    verified: mostly('web.shop.svc'),
  }),
  { minLength: 25, maxLength: 25 },
);

type Hostile = (typeof hostileRoutes extends fc.Arbitrary<infer Routes extends readonly unknown[]>
  ? Routes
  : never)[number];

function routeOf(given: Hostile, index: number): RouteBackend {
  const [name, address] = given.server;
  return routeBackend({
    ...given,
    key: `ns:r${index}`,
    host: given.host === 'host.test' ? `host${index}.test` : given.host,
    servers: [{ name, address, port: 80, weight: 1, h2c: false, verifyHost: given.verified }],
    verify: { kind: 'default-ca' },
  });
}

test.each(['hash', 'regex'])('hostile text of routes stays text, with the maps of "%s"', async (lookup) => {
  const settings = routerSettings({ HAWSER_LOOKUP: lookup });
  for (const [run, given] of fc.sample(hostileRoutes, { seed: 71, numRuns: 6 }).entries()) {
    const routes = given.map(routeOf);
    const printed = print(settings, routes, pem);
    expect(printed.left.length).toBeLessThan(routes.length);
    const backends = new Set([...printed.text.matchAll(/^backend (\S+)/gm)].map(([, name]) => name));
    mustBePlain(
      printed,
      routes.filter(({ name }) => backends.has(name)),
      settings,
      pem,
    );
    await writeOut(join(folder, `${run}`), printed);
    expect(await check(join(folder, `${run}`, 'haproxy.cfg'))).toEqual({ kind: 'valid' });
  }
});
