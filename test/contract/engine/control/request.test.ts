import { createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { request } from '../../../../src/engine/control/request.ts';
import { stall } from '../../../helpers/stall.ts';
import { testFolder } from '../../../helpers/test-folder.ts';
import { waitFor } from '../../../helpers/wait-for.ts';

let dir: string;
let path: string;
let server: Server | undefined;
const sockets = new Set<Socket>();

beforeEach(() => {
  dir = testFolder();
  path = join(dir, 'control.sock');
});
afterEach(async () => {
  for (const socket of sockets) socket.destroy();
  await new Promise((resolve) => (server === undefined ? resolve(undefined) : server.close(resolve)));
  server = undefined;
});

async function serve(react: (socket: Socket) => void): Promise<void> {
  const listening = createServer({ allowHalfOpen: true }, (socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    react(socket);
  });
  server = listening;
  await new Promise<void>((resolve) => listening.listen(path, resolve));
}

const ask = (timeoutMs = 5_000, signal?: AbortSignal) =>
  request(path, 'reload', { timeoutMs, ...(signal === undefined ? {} : { signal }) });

test('sends one line, closes its side, and reads the answer', async () => {
  let text = '';
  await serve((socket) => {
    socket.on('data', (chunk) => {
      text += chunk.toString();
    });
    // Like a daemon that reads to the end before it acts.
    socket.on('end', () => socket.end('{"ok":true,"generation":7,"pid":42,"tookMs":9}\n'));
  });
  expect(await ask()).toEqual({
    kind: 'answered',
    answer: { ok: true, generation: 7, pid: 42, tookMs: 9 },
  });
  expect(text).toBe('reload\n');
});

test('a refusal is an answer too; an answer may arrive in pieces or without a line end', async () => {
  const refusal = { ok: false, stage: 'check', message: 'no', detail: 'line 3' };
  await serve((socket) => {
    const text = JSON.stringify(refusal);
    socket.write(text.slice(0, 10), () => socket.end(text.slice(10)));
  });
  expect(await ask()).toEqual({ kind: 'answered', answer: refusal });
});

test('a server that closes without an answer is unreachable', async () => {
  await serve((socket) => socket.resume().on('end', () => socket.end()));
  expect(await ask()).toEqual({
    kind: 'unreachable',
    message: 'the connection was closed without an answer',
  });
});

test('a server that never answers is unreachable', async () => {
  await serve((socket) => socket.resume());
  expect(await ask(1_000)).toEqual({ kind: 'unreachable', message: 'no answer arrived in time' });
});

test('an answer that arrived while this process was stalled is accepted', async () => {
  await serve((socket) => socket.once('data', () => socket.end('{"ok":true}\n', () => stall(500))));
  expect(await ask(400)).toEqual({ kind: 'answered', answer: { ok: true } });
});

test('a missing listener is unreachable', async () => {
  expect(await ask()).toMatchObject({ kind: 'unreachable', message: expect.stringContaining('ENOENT') });
});

test('a path that cannot be a socket is unreachable, not an exception', async () => {
  const outcome = await request(join(dir, 'x'.repeat(200)), 'status', { timeoutMs: 1_000 });
  expect(outcome.kind).toBe('unreachable');
});

test('a server that vanishes in the middle of an answer is unreachable', async () => {
  await serve((socket) => socket.end('{"ok":tr'));
  expect(await ask()).toMatchObject({ kind: 'unreachable', message: expect.stringContaining('{"ok":tr') });
});

test.each(['garbage', '{"ok":1}', '{"ok":false}', '[]', 'null', '"ok"'])(
  'the line %s is not an answer',
  async (text) => {
    await serve((socket) => socket.end(`${text}\n`));
    expect(await ask()).toMatchObject({
      kind: 'unreachable',
      message: expect.stringContaining('expected a line of JSON with "ok"'),
    });
  },
);

test('reading stops at an answer without an end', async () => {
  await serve((socket) => {
    const more = (error?: Error | null): void => {
      if (!error) socket.write('x'.repeat(256 * 1024), more);
    };
    more();
  });
  expect(await ask(60_000)).toEqual({
    kind: 'unreachable',
    message: 'the answer is longer than 4194304 bytes',
  });
});

test('an abort ends the wait, before and after the connection', async () => {
  let connected = false;
  await serve(() => {
    connected = true;
  });
  const stopped = { kind: 'unreachable', message: 'stopped before an answer arrived' };
  expect(await ask(5_000, AbortSignal.abort())).toEqual(stopped);
  const stop = new AbortController();
  const outcome = ask(60_000, stop.signal);
  await waitFor('the connection', () => connected);
  stop.abort();
  expect(await outcome).toEqual(stopped);
});
