import { createServer, type Server } from 'node:net';
import { connect as connectTls } from 'node:tls';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { RouteBackend } from '../../../src/router/model.ts';
import { freePort } from '../../helpers/free-port.ts';
import { expectedAnswer } from '../../helpers/router/ask-maps.ts';
import { type LookedUp, requests, routeBackend, routeSets } from '../../helpers/router/route-sets.ts';
import { firstError, get, type RunningRouter, startRouter } from '../../helpers/router/running-router.ts';

/** Twelve random sets in one configuration. The hosts of each set have their own suffix. */
const SETS = 12;
const own = (host: string, set: number) => host.replace(/com|org|net/i, (end) => `${end}${set}`);
const sets = fc.sample(routeSets, { seed: 71, numRuns: SETS });
const asked: readonly LookedUp[] = fc
  .sample(fc.array(requests, { minLength: 20, maxLength: 20 }), { seed: 72, numRuns: SETS })
  .flatMap((list, set) => list.map(({ host, path }) => ({ host: own(host, set), path })));

const pods: Server[] = [];
afterAll(() => {
  for (const pod of pods) pod.close();
});

/** Sends its name on every connection and closes it. */
async function startNamedPod(name: string): Promise<number> {
  const pod = createServer((socket) => socket.on('error', () => undefined).end(name));
  pods.push(pod);
  await new Promise<void>((resolve) => pod.listen(0, '127.0.0.1', resolve));
  const address = pod.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}

async function routesOfAllSets(): Promise<readonly RouteBackend[]> {
  const all = sets.flatMap((routes, set) =>
    routes.map((route, index) =>
      routeBackend({
        kind: route.kind,
        wildcard: route.wildcard,
        path: route.path,
        pathMatch: route.pathMatch,
        insecure: route.insecure,
        host: own(route.host, set),
        key: `s${set}:r${index}`,
      }),
    ),
  );
  return await Promise.all(
    all.map(async (route) => {
      if (route.kind !== 'passthrough') return route;
      const port = await startNamedPod(route.name);
      const server = { name: 'pod', address: '127.0.0.1', port, weight: 1, h2c: false };
      return { ...route, servers: [server] };
    }),
  );
}

/** The first bytes of a TLS client that requests this server name. */
async function clientHello(servername: string): Promise<Buffer> {
  return await new Promise((resolve) => {
    const server = createServer((socket) => {
      socket.once('data', (hello: Buffer) => {
        socket.destroy();
        server.close();
        resolve(hello);
      });
    });
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      const port = typeof address === 'object' && address !== null ? address.port : 0;
      connectTls({ port, host: '127.0.0.1', servername }).on('error', () => undefined);
    });
  });
}

describe.each(['hash', 'regex'] as const)('HAProxy with the maps of "%s"', (lookup) => {
  let routes: readonly RouteBackend[] = [];
  let router: RunningRouter;
  let securePort = 0;

  beforeAll(async () => {
    routes = await routesOfAllSets();
    securePort = await freePort();
    router = await startRouter(
      routes,
      { HAWSER_LOOKUP: lookup, ROUTER_ALLOW_WILDCARD_ROUTES: 'true' },
      // The backends return their names, and requests after TLS termination are sent without TLS.
      (text) =>
        text
          .replaceAll(
            /^backend (be_(?:http|edge_http|secure):\S+) from .*$/gm,
            '$&\n  http-request return status 200 hdr X-Backend $1',
          )
          .replace(/^ {2}bind unix@\S+router-no-sni.sock .*$/m, `  bind 127.0.0.1:${securePort}`),
    );
  });
  afterAll(async () => await router[Symbol.asyncDispose]());

  test('a request without TLS gets its route, its redirect, or nothing', async () => {
    for (const { host, path } of asked) {
      const { status, headers } = await get(router.httpPort, host, path);
      const found = status === 302 ? 'redirect' : headers['x-backend'];
      expect({ host, path, found }).toEqual({
        host,
        path,
        found: expectedAnswer(routes, 'http', { host, path }),
      });
    }
  });

  test('a request after TLS termination gets its route, or nothing', async () => {
    for (const { host, path } of asked) {
      const { headers } = await get(securePort, host, path);
      // Passthrough connections never reach this frontend.
      const ended = routes.filter(({ kind }) => kind !== 'passthrough');
      const expected = expectedAnswer(ended, 'https', { host, path });
      expect({ host, path, found: headers['x-backend'] }).toEqual({ host, path, found: expected });
    }
  });

  test('a TLS connection goes to its passthrough route, or terminates at the router', async () => {
    const names = [...new Set(asked.map(({ host }) => host.toLowerCase().replace(/[.:]*(:\w*)*$/, '')))];
    for (const name of names.filter((each) => /^[a-z]/.test(each)).slice(0, 40)) {
      const answer = await firstError(router.httpsPort, await clientHello(name));
      const found = answer.startsWith('be_tcp') ? answer : undefined;
      const expected = expectedAnswer(routes, 'https', { host: name, path: '/' });
      expect({ name, found }).toEqual({ name, found: expected?.startsWith('be_tcp') ? expected : undefined });
    }
  });
});
