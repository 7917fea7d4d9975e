import { createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createSupervisorCheck } from '../../../src/haproxy/check-in-supervisor.ts';
import { testFolder } from '../../helpers/test-folder.ts';

let dir: string;
let socket: string;
let server: Server | undefined;
const clients = new Set<Socket>();

beforeEach(() => {
  dir = testFolder();
  socket = join(dir, 'control.sock');
});
afterEach(async () => {
  for (const client of clients) client.destroy();
  await new Promise((resolve) => (server === undefined ? resolve(undefined) : server.close(resolve)));
  server = undefined;
});

/** A supervisor with this answer, or with none if undefined. Resolves with the lines that it received. */
async function supervisor(answer: object | undefined): Promise<readonly string[]> {
  const lines: string[] = [];
  const listening = createServer({ allowHalfOpen: true }, (client) => {
    client.on('error', () => undefined);
    clients.add(client);
    client.on('data', (chunk) => {
      lines.push(`${chunk}`);
      if (answer !== undefined) client.end(`${JSON.stringify(answer)}\n`);
    });
  });
  server = listening;
  await new Promise<void>((resolve) => listening.listen(socket, resolve));
  return lines;
}

const check = (answerMs = 30_000) =>
  createSupervisorCheck(socket, { waitMs: 0, answerMs })('/etc/haproxy/haproxy.cfg.candidate');

test('no path is sent to the supervisor, and its success is the verdict', async () => {
  const lines = await supervisor({ ok: true });
  expect(await check()).toEqual({ kind: 'valid' });
  expect(lines).toEqual(['check\n']);
});

test("a refusal includes HAProxy's message", async () => {
  await supervisor({ ok: false, stage: 'check', message: 'Cannot use it', detail: 'unknown keyword' });
  expect(await check()).toEqual({ kind: 'invalid', message: 'Cannot use it', detail: 'unknown keyword' });
});

test('a megabyte-long refusal from a hostile container is truncated', async () => {
  await supervisor({ ok: false, stage: 'check', message: 'm'.repeat(1e6), detail: 'd'.repeat(1e6) });
  const outcome = await check();
  expect(JSON.stringify(outcome).length).toBeLessThan(5_000);
});

test.each([
  [
    'another stage',
    { ok: false, stage: 'internal', message: 'HAProxy cannot be run' },
    /HAProxy cannot be run/,
  ],
  ['a request it does not know', { ok: false, stage: 'protocol', message: 'no request' }, /no request/],
])('an answer with %s is not a verdict', async (_what, answer, words) => {
  await supervisor(answer);
  const outcome = await check();
  expect(outcome).toMatchObject({ kind: 'impossible', message: expect.stringMatching(words) });
  expect(outcome).not.toHaveProperty('isUnreachable');
});

test.each([
  ['an answer without "ok"', {}],
  ['no answer in time', undefined],
])('%s is not a verdict, and the supervisor is unreachable', async (_what, answer) => {
  await supervisor(answer);
  expect(await check(500)).toMatchObject({ kind: 'impossible', isUnreachable: true });
});

test('a supervisor that starts while the check waits gives the verdict', async () => {
  const verdict = createSupervisorCheck(socket, { waitMs: 60_000, answerMs: 30_000 })('/x.candidate');
  await supervisor({ ok: true });
  expect(await verdict).toEqual({ kind: 'valid' });
});

test('a check that is aborted while it waits for the supervisor rejects', async () => {
  const stop = new AbortController();
  const verdict = createSupervisorCheck(socket)('/x.candidate', stop.signal);
  stop.abort(new Error('stopped'));
  await expect(verdict).rejects.toThrow('stopped');
});
