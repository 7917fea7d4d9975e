import { createServer, type Server } from 'node:http';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { KeepalivedModel } from '../../../../src/vip/group/vrrp.ts';
import { allPeersBackWithoutApi } from '../../../../src/vip/health/health-sources.ts';
import { freePort } from '../../../helpers/free-port.ts';

const own = '127.0.0.1';
const peers = ['127.0.0.2', '127.0.0.3'];
const model = {
  instances: [
    {
      kind: 'api',
      sourceAddress: own,
      peers: peers.map((address, index) => ({ name: `cp-${index}`, address })),
    },
  ],
} as unknown as KeepalivedModel;
const { signal } = new AbortController();
let servers: Server[];
let ports: { readonly health: number; readonly api: number };
beforeEach(async () => {
  servers = [];
  ports = { health: await freePort(), api: await freePort() };
});
afterEach(() => {
  for (const server of servers) server.close();
});

async function listen(address: string, port: number, status = 200): Promise<void> {
  const server = createServer((_request, response) => response.writeHead(status).end());
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(port, address, resolve));
}

const ask = (apiPort: number | undefined = ports.api, of: KeepalivedModel | undefined = model) =>
  allPeersBackWithoutApi(
    {
      kind: 'api',
      url: { secure: false, host: own, port: ports.health, path: '/haproxy_ready' },
      apiPort,
    },
    of,
    signal,
  );

test('a group is back once every peer serves and refuses connections to an API server', async () => {
  for (const peer of peers) await listen(peer, ports.health);
  expect(await ask()).toBe(true);
});

test.each([own, ...peers])(
  'a group with an API server at %s is not, whatever that answers',
  async (address) => {
    for (const peer of peers) await listen(peer, ports.health);
    await listen(address, ports.api, 401);
    expect(await ask()).toBe(false);
  },
);

test('a group is not back while one of its nodes does not serve', async () => {
  await listen('127.0.0.2', ports.health);
  expect(await ask()).toBe(false);
  await listen('127.0.0.3', ports.health, 503);
  expect(await ask()).toBe(false);
});

test('a group is not back without a model, or if its kind has no API server', async () => {
  expect(await ask(ports.api, undefined)).toBe(false);
  for (const peer of peers) await listen(peer, ports.health);
  expect(
    await allPeersBackWithoutApi(
      { kind: 'api', url: { secure: false, host: own, port: ports.health, path: '/' }, apiPort: undefined },
      model,
      signal,
    ),
  ).toBe(false);
});
