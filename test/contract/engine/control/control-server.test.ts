import { existsSync, statSync, unlinkSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type AnswerLine, serveControlSocket } from '../../../../src/engine/control/control-server.ts';
import { askRaw } from '../../../helpers/supervisor-ask.ts';
import { connectRaw } from '../../../helpers/supervisor-raw-client.ts';
import { testFolder } from '../../../helpers/test-folder.ts';
import { times, waitFor } from '../../../helpers/wait-for.ts';

let dir: string;
let path: string;
let closing: (() => Promise<void>)[];

beforeEach(() => {
  dir = testFolder();
  path = join(dir, 'control.sock');
  closing = [];
});
afterEach(async () => {
  for (const close of closing) await close();
});

const echo: AnswerLine = async (line) => ({ ok: true, line });

async function serve(answerLine: AnswerLine = echo): Promise<() => Promise<void>> {
  const outcome = await serveControlSocket(path, answerLine);
  if (outcome.kind === 'in-use') throw new Error(`Cannot serve "${path}": it is in use`);
  closing.push(outcome.close);
  return outcome.close;
}

const echoed = (line: string) => ({ ok: true, line });
const refused = {
  ok: false,
  stage: 'protocol',
  message: expect.stringContaining('longer than 262144 bytes'),
};

test('a client that half-closes gets its answer', async () => {
  await serve();
  expect(await askRaw(path, 'reload\n')).toEqual([echoed('reload')]);
  expect(await askRaw(path, 'reload\r\n')).toEqual([echoed('reload')]);
  expect(await askRaw(path, 'reload')).toEqual([echoed('reload')]);
});

test('after an unanswerable line of the maximum length, the next line is answered', async () => {
  await serve(async (line) => {
    if (line !== 'ping') throw new Error('it is odd');
    return { ok: true };
  });
  const answers = await askRaw(path, `${'x'.repeat(262_144)}\nping\n`);
  const message = `Cannot answer "${'x'.repeat(80)}": it is odd`;
  expect(answers).toEqual([{ ok: false, stage: 'internal', message }, { ok: true }]);
});

test('a client that sends nothing gets nothing, and the next one is served', async () => {
  await serve();
  expect(await askRaw(path, '')).toEqual([]);
  expect(await askRaw(path, 'ping\n')).toEqual([echoed('ping')]);
});

test('lines sent together are processed together, and answered in order', async () => {
  const open: { readonly line: string; readonly answer: () => void }[] = [];
  await serve(
    (line) =>
      new Promise((resolve) => {
        open.push({ line, answer: () => resolve({ ok: true, line }) });
      }),
  );
  const answers = askRaw(path, 'one\ntwo\nthree\n');
  await times('request', () => open.map(({ line }) => line), 3);
  for (const { answer } of open.toReversed()) answer();
  expect(await answers).toEqual([echoed('one'), echoed('two'), echoed('three')]);
});

test('a line in pieces on an open connection is answered when it is complete', async () => {
  await serve();
  const client = await connectRaw(path);
  for (const piece of ['re', 'load', '\npi', 'ng\r', '\n']) {
    await new Promise((resolve) => client.socket.write(piece, resolve));
  }
  expect(await client.waitForLines(2)).toEqual(
    [echoed('reload'), echoed('ping')].map((it) => JSON.stringify(it)),
  );
  client.socket.destroy();
});

test('an overlong line is refused, and the next valid one is answered', async () => {
  await serve();
  expect(await askRaw(path, `${'x'.repeat(300_000)}\nping\n`)).toEqual([refused, echoed('ping')]);
  expect(await askRaw(path, 'x'.repeat(400_000))).toEqual([refused]);
});

test('binary data is passed on as a line, and does no harm', async () => {
  await serve();
  const garbage = Buffer.from([0, 255, 254, 1, 200, 10]);
  expect(await askRaw(path, garbage)).toHaveLength(1);
  expect(await askRaw(path, 'ping\n')).toEqual([echoed('ping')]);
});

test('a client that never reads does not delay the others, and its lines are still processed', async () => {
  let asked = 0;
  await serve(async (line) => {
    asked += 1;
    return { ok: true, line, padding: 'x'.repeat(2_000) };
  });
  const deaf = connect(path);
  deaf.on('error', () => {});
  deaf.pause();
  deaf.write('reload\n'.repeat(2_000));
  await waitFor('all of its lines to be asked', () => asked === 2_000);
  expect(await askRaw(path, 'ping\n')).toHaveLength(1);
  deaf.destroy();
});

test('input beyond the waiting lines is not read, so it uses no memory', async () => {
  let held = 0;
  await serve((line) => {
    if (line === 'ping') return echo(line);
    held += 1;
    return new Promise(() => {});
  });
  const flood = connect(path);
  flood.on('error', () => {});
  flood.write('reload\n'.repeat(1_000_000));
  await waitFor('the first of its lines to wait', () => held === 256);
  // Each ping takes several rounds of the event loop. In each round the server would read 64 kB of the 7 MB.
  for (let round = 0; round < 100; round += 1) expect(await askRaw(path, 'ping\n')).toEqual([echoed('ping')]);
  expect(flood.writableLength).toBeGreaterThan(0);
  expect(held).toBe(256);
  flood.destroy();
});

test('clients that reset the connection do no harm', async () => {
  await serve();
  for (let round = 0; round < 20; round += 1) {
    const client = await connectRaw(path);
    client.socket.write('reload\nreload\n');
    client.socket.destroy();
  }
  expect(await askRaw(path, 'ping\n')).toEqual([echoed('ping')]);
});

test('the next client after 100 idle ones is served, and close drops the idle ones', async () => {
  const close = await serve();
  const idle = await Promise.all(Array.from({ length: 100 }, () => connectRaw(path)));
  expect(await askRaw(path, 'ping\n')).toEqual([echoed('ping')]);
  await close();
  expect(existsSync(path)).toBe(false);
  await waitFor('every client to be dropped', () => idle.every(({ socket }) => socket.readableEnded));
  for (const { socket } of idle) socket.destroy();
});

test('an answer that is sent during the close still arrives', async () => {
  let answer: (() => void) | undefined;
  const close = await serve(
    () =>
      new Promise((resolve) => {
        answer = () => resolve({ ok: true });
      }),
  );
  const client = await connectRaw(path);
  client.socket.write('reload\n');
  const give = await waitFor('the question', () => answer);
  give();
  await close();
  expect(await client.waitForLines(1)).toEqual(['{"ok":true}']);
  client.socket.destroy();
});

test('the socket is private to its owner', async () => {
  await serve();
  expect(statSync(path).mode & 0o777).toBe(0o600);
});

test("a failed answer is reported, and the client's next request is answered", async () => {
  await serve(async (line) => {
    if (line === 'status') throw new Error('EMFILE');
    return { ok: true, line };
  });
  expect(await askRaw(path, 'status\nping\n')).toEqual([
    { ok: false, stage: 'internal', message: 'Cannot answer "status": EMFILE' },
    echoed('ping'),
  ]);
});

test('thousands of lines in one piece are processed 256 at a time, and answered in order', async () => {
  const lines = Array.from({ length: 9_000 }, (_, index) => `line ${index}`);
  let underWay = 0;
  let most = 0;
  await serve(async (line) => {
    underWay += 1;
    most = Math.max(most, underWay);
    await new Promise((resolve) => setImmediate(resolve));
    underWay -= 1;
    return { ok: true, line };
  });
  const client = await connectRaw(path);
  client.socket.end(`${lines.join('\n')}\n`);
  const answers = await client.waitForLines(lines.length);
  expect(answers.map((answer) => JSON.parse(answer))).toEqual(lines.map(echoed));
  expect(most).toBeLessThanOrEqual(256);
});

test('a removed socket file is created again with the same mode, and removed at the end', async () => {
  const close = await serve();
  const before = await connectRaw(path);
  unlinkSync(path);
  await waitFor('the socket file', () => existsSync(path));
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(await askRaw(path, 'ping\n')).toEqual([echoed('ping')]);
  before.socket.end('ping\n');
  expect(await before.waitForLines(1)).toHaveLength(1);
  await close();
  expect(existsSync(path)).toBe(false);
});
