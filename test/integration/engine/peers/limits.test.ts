import { connect as connectTcp, type Socket } from 'node:net';
import { buffer, text } from 'node:stream/consumers';
import { connect } from 'node:tls';
import { expect, onTestFinished, test } from 'vitest';
import type { PeerCredentials } from '../../../../src/engine/peers/credentials.ts';
import { peerAuthority } from '../../../helpers/peers/peer-files.ts';
import { asking, group, type PeerScene, peerScene, serving } from '../../../helpers/peers/peer-scene.ts';
import { waitFor } from '../../../helpers/wait-for.ts';

const request = 'GET /status HTTP/1.1\r\nhost: x\r\n';

async function scene(...more: [Parameters<typeof peerScene>[1]?, Parameters<typeof peerScene>[2]?]) {
  const authority = peerAuthority();
  const own = await authority.credentialsFor(asking);
  return { own, server: await peerScene(await authority.credentialsFor(serving), ...more) };
}

/** As a node of the group, with its own idea of HTTP. */
function speak({ port }: PeerScene, { ca, cert, key }: PeerCredentials, localAddress?: string) {
  const socket = connect({
    ...{ host: '127.0.0.1', port, ca, cert, key, checkServerIdentity: () => undefined },
    ...(localAddress && { localAddress }),
  });
  socket.on('error', () => undefined);
  onTestFinished(() => void socket.destroy());
  return socket;
}

const ended = (socket: Socket) =>
  new Promise<void>((resolve) => socket.resume().once('close', () => resolve()));

test.each([
  ['POST /status HTTP/1.1\r\nhost: x\r\ncontent-length: 3\r\n\r\nabc', /^HTTP\/1\.1 405 [\s\S]*expected GET/],
  ['HEAD /status HTTP/1.1\r\nhost: x\r\n\r\n', /^HTTP\/1\.1 405 /],
  ['GET / HTTP/1.1\r\nhost: x\r\n\r\n', /^HTTP\/1\.1 404 [\s\S]*expected \/status or \/journal/],
  ['GET //[ HTTP/1.1\r\nhost: x\r\n\r\n', /^HTTP\/1\.1 404 /],
  ['GET /journal?since=yesterday HTTP/1.1\r\nhost: x\r\n\r\n', /^HTTP\/1\.1 400 [\s\S]*ISO 8601/],
  [`${request}\r\n${request}\r\n`, /^HTTP\/1\.1 200 (?!.*HTTP)[\s\S]*$/],
  ['no HTTP at all\r\n\r\n', /^$/],
])('%j is answered once, and that was it', async (words, expected) => {
  const { own, server } = await scene({
    journal: async function* () {
      yield Buffer.from('a journal');
    },
  });
  const socket = speak(server, own);
  socket.write(words);
  const heard = await text(socket).catch(() => '');
  expect(heard).toMatch(expected);
  expect(heard.match(/HTTP\/1\.1 /g)?.length ?? 0).toBeLessThan(2);
  expect(await server.ask(own)).toMatchObject({ kind: 'answer' });
});

test('headers without end are cut off', async () => {
  const { own, server } = await scene();
  const socket = speak(server, own);
  socket.write(`${request}x: ${'y'.repeat(5_000)}\r\n\r\n`);
  expect(await text(socket).catch(() => '')).toBe('');
});

test('a silent client loses the connection, before the handshake and after it', async () => {
  const { own, server } = await scene({}, { handshakeMs: 100, connectionMs: 300 });
  const silent = connectTcp(server.port, '127.0.0.1');
  const slow = speak(server, own);
  slow.write(request);
  await Promise.all([ended(silent), ended(slow)]);
  // To have been slow is no refusal.
  expect(server.told).toEqual([]);
});

test('a client that does not read loses the connection, and what was being read for it is left', async () => {
  let isLeft = false;
  const { own, server } = await scene(
    {
      journal: async function* () {
        try {
          for (;;) yield Buffer.alloc(1_000_000);
        } finally {
          isLeft = true;
        }
      },
    },
    { connectionMs: 500 },
  );
  const socket = speak(server, own);
  socket.pause();
  socket.write('GET /journal HTTP/1.1\r\nhost: x\r\n\r\n');
  await waitFor('the journal to be closed', () => isLeft);
});

test('1,000 connections of one address keep no other address out', async () => {
  const { own, server } = await scene({}, { handshakeMs: 120_000, connectionMs: 120_000 });
  const flood = Array.from({ length: 1_000 }, () =>
    connectTcp({ port: server.port, host: '127.0.0.1', localAddress: '127.0.0.9' }),
  );
  onTestFinished(() => flood.forEach((socket) => void socket.destroy()));
  const closed = new Set<Socket>();
  for (const socket of flood)
    socket
      .on('error', () => undefined)
      .on('close', () => closed.add(socket))
      .resume();
  // All but the eight that one address may have.
  await waitFor('the others to be closed', () => closed.size === 992);
  for (let times = 0; times < 5; times += 1) expect(await server.ask(own)).toMatchObject({ kind: 'answer' });
});

test('100 questions at once of a node that has gone mad: eight are answered, and the next one', async () => {
  const { own, server } = await scene();
  const first = await Promise.all(Array.from({ length: 100 }, () => server.ask(own)));
  expect(first.filter(({ kind }) => kind === 'answer').length).toBeGreaterThanOrEqual(8);
  expect(await server.ask(own)).toMatchObject({ kind: 'answer' });
});

test('those who ask at the same time get one answer that was looked up once', async () => {
  let [requests, looks] = [0, 0];
  const gate = Promise.withResolvers<void>();
  const { own, server } = await scene({
    nodes: () => {
      requests += 1;
      return group;
    },
    status: async () => {
      looks += 1;
      await gate.promise;
      return '{"v":1}';
    },
  });
  const answers = Array.from({ length: 5 }, () => server.ask(own));
  await waitFor('all of them to have asked', () => requests === 5);
  gate.resolve();
  expect((await Promise.all(answers)).map(({ kind }) => kind)).toEqual(Array(5).fill('answer'));
  expect(looks).toBe(1);
  await server.ask(own);
  expect(looks).toBe(2);
});

test('a node that cannot say what it is says so, and its journal to three at a time', async () => {
  const gate = Promise.withResolvers<void>();
  let begun = 0;
  const { own, server } = await scene({
    status: async () => {
      throw new Error('the disk is gone');
    },
    journal: async function* () {
      begun += 1;
      await gate.promise;
      yield Buffer.from('lines');
    },
  });
  expect(await server.ask(own)).toEqual({ kind: 'problem', problem: 'it says: the disk is gone' });
  const three = Array.from({ length: 3 }, () => server.ask(own, '/journal'));
  await waitFor('three to be under way', () => begun === 3);
  expect(await server.ask(own, '/journal')).toEqual({
    kind: 'problem',
    problem: 'it says: it is sending its journal to others',
  });
  gate.resolve();
  const answer = { kind: 'answer', body: Buffer.from('lines'), clockOffMs: expect.any(Number) };
  expect(await Promise.all(three)).toEqual(Array(3).fill(answer));
  expect(await server.ask(own, '/journal')).toMatchObject({ kind: 'answer' });
});

test('without a journal there is none to be had', async () => {
  const { own, server } = await scene();
  expect(await server.ask(own, '/journal')).toEqual({
    kind: 'problem',
    problem: 'it says: it keeps no journal (--journal)',
  });
});

test('after its end no request is served, and nothing is left open', async () => {
  const { own, server } = await scene();
  const open = speak(server, own);
  open.write(request);
  await new Promise((resolve) => open.once('secureConnect', resolve));
  server.stop();
  await ended(open);
  const late = connectTcp(server.port, '127.0.0.1');
  await expect(buffer(late)).rejects.toThrow('ECONNREFUSED');
});
