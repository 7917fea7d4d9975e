import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect as connectTls } from 'node:tls';
import { afterAll, expect, test } from 'vitest';
import { createAuthority } from '../../helpers/certificates.ts';
import { freePort } from '../../helpers/free-port.ts';
import type { LoadPlan } from '../../helpers/load/load-events.ts';
import { startBackends } from '../../helpers/load/start-backends.ts';
import { startLoad } from '../../helpers/load/start-load.ts';
import { createNetNamespace } from '../../helpers/net-namespace.ts';
import { waitFor } from '../../helpers/wait-for.ts';

const dir = mkdtempSync(join(tmpdir(), 'hawser-load-'));
const identity = createAuthority(dir).issue({ commonName: 'backend' });
afterAll(() => rmSync(dir, { recursive: true, force: true }));

const plan: LoadPlan = {
  host: '127.0.0.1',
  port: 7001,
  ratePerSecond: 100,
  timeoutMs: 5_000,
  streams: 0,
  streamRampMs: 0,
  servers: ['one'],
  probe: null,
};
const one = { name: 'one', host: '127.0.0.1', port: 7001 };

test('answers are counted under the name of the backend that gave them', async () => {
  await using namespace = await createNetNamespace();
  await using backends = await startBackends(namespace.prefix, [one], identity);
  // A refused connection first: the generator reports the first answer after it.
  await backends.stop('one');
  await using load = await startLoad(namespace.prefix, plan);
  await waitFor('a refused connection', () => load.lostSince(0) > 0);
  await backends.start('one');
  await waitFor('an answer', () => load.events().some(({ kind }) => kind === 'ok-again'));
  const summary = await load.stop();
  expect(summary.ok).toBeGreaterThan(0);
  expect(summary.servers).toEqual({ one: summary.ok });
});

test('a backend that stops costs every connection and cuts the streams, until it starts again', async () => {
  await using namespace = await createNetNamespace();
  await using backends = await startBackends(namespace.prefix, [one], identity);
  await using load = await startLoad(namespace.prefix, { ...plan, streams: 4 });
  await waitFor('the load to be running', () => load.events().some(({ kind }) => kind === 'started'));
  await backends.stop('one');
  const refused = () => load.events().filter((event) => event.kind === 'lost' && event.reason === 'refused');
  await waitFor('10 connections to be refused', () => refused().length >= 10);
  await backends.start('one');
  await waitFor('service to be back', () => load.events().at(-1)?.kind === 'ok-again');
  const summary = await load.stop();
  expect(summary.lost.refused).toBe(refused().length);
  expect(summary.streams.cut + summary.streams.refused).toBeGreaterThanOrEqual(4);
  expect(load.events().filter(({ kind }) => kind === 'cut')).toHaveLength(summary.streams.cut);
});

test('a server that accepts and says nothing costs a timeout', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  const address = await waitFor('the silent server', () => server.address() ?? undefined);
  if (typeof address === 'string') throw new Error('no port');
  await using load = await startLoad(['env'], { ...plan, port: address.port, timeoutMs: 300 });
  await waitFor('a connection to be lost', () => load.lostSince(0) > 0);
  expect((await load.stop()).lost).toEqual({ timeout: load.lostSince(0) });
  server.close();
});

test('TLS on the port of a backend gets 200, as a health check expects', async () => {
  const port = await freePort();
  await using _ = await startBackends(['env'], [{ ...one, port }], identity);
  const answer = await new Promise<string>((resolve, reject) => {
    const socket = connectTls({ host: '127.0.0.1', port, rejectUnauthorized: false });
    socket.once('error', reject).once('data', (data) => resolve(data.toString()));
    socket.write('GET /readyz HTTP/1.0\r\n\r\n');
  });
  expect(answer).toMatch(/^HTTP\/1.1 200 /);
});
