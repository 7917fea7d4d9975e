import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import {
  type ClaimOutcome,
  claimSocket,
  MAX_SOCKET_PATH_BYTES,
  socketMode,
} from '../../../../src/engine/control/claim-socket.ts';
import { runs } from '../../../helpers/property-seed.ts';
import { askRaw } from '../../../helpers/supervisor-ask.ts';
import { testFolder } from '../../../helpers/test-folder.ts';

const ownMode = socketMode(process.geteuid?.());
let dir: string;
let path: string;

beforeEach(() => {
  dir = testFolder();
  path = join(dir, 'control.sock');
});
/** Sends its name to each client. */
function namedServer(name: string): Server {
  return createServer((socket) => {
    // Another claim only checks for an answer and hangs up at once.
    socket.on('error', () => {});
    socket.end(`"${name}"\n`);
  });
}

async function release(outcome: ClaimOutcome): Promise<void> {
  if (outcome.kind === 'claimed') await outcome.release();
}

/** A socket file without a listener, as left by a killed process. */
async function leaveStale(): Promise<void> {
  const server = namedServer('killed');
  await claimSocket(server, path);
  await new Promise((resolve) => server.close(resolve));
}

test('a claimed path answers, is private to its owner, and no other file is left', async () => {
  const claim = await claimSocket(namedServer('first'), path);
  expect(await askRaw(path, '')).toEqual(['first']);
  expect(statSync(path).mode & 0o777).toBe(ownMode);
  expect(readdirSync(dir)).toEqual(['control.sock']);
  await release(claim);
  expect(readdirSync(dir)).toEqual([]);
});

test("another user's socket is open to its group, root's is not", () => {
  expect(socketMode(0)).toBe(0o600);
  expect(socketMode(65_529)).toBe(0o660);
});

test('a socket has its mode from the moment of its bind, whatever the umask', async () => {
  const before = process.umask(0);
  const server = namedServer('first');
  const modes: number[] = [];
  server.prependListener('listening', () => {
    for (const file of readdirSync(dir)) modes.push(statSync(join(dir, file)).mode & 0o777);
  });
  const listen = server.listen.bind(server);
  // The bind is synchronous, so the file exists right after it and no earlier.
  server.listen = ((...args: Parameters<Server['listen']>) => {
    const result = listen(...args);
    for (const file of readdirSync(dir)) modes.push(statSync(join(dir, file)).mode & 0o777);
    return result;
  }) as Server['listen'];
  const claim = await claimSocket(server, path);
  expect(process.umask(before)).toBe(0);
  expect(modes).toEqual([ownMode, ownMode]);
  await release(claim);
});

test('a second claim of a live socket is refused, and the first server keeps running', async () => {
  const first = await claimSocket(namedServer('first'), path);
  const second = namedServer('second');
  expect(await claimSocket(second, path)).toEqual({ kind: 'in-use' });
  expect(second.listening).toBe(false);
  expect(await askRaw(path, '')).toEqual(['first']);
  expect(readdirSync(dir)).toEqual(['control.sock']);
  await release(first);
});

test('a stale socket file is replaced', async () => {
  await leaveStale();
  expect(existsSync(path)).toBe(true);
  const claim = await claimSocket(namedServer('next'), path);
  expect(claim.kind).toBe('claimed');
  expect(await askRaw(path, '')).toEqual(['next']);
  expect(readdirSync(dir)).toEqual(['control.sock']);
  await release(claim);
});

test('a regular file at the path is named in the error and kept', async () => {
  writeFileSync(path, 'precious');
  const server = namedServer('first');
  await expect(claimSocket(server, path)).rejects.toThrow(`"${path}": it is not a socket`);
  expect(readFileSync(path, 'utf8')).toBe('precious');
  expect(readdirSync(dir)).toEqual(['control.sock']);
  expect(server.listening).toBe(false);
});

test('a directory at the path is named in the error and kept', async () => {
  mkdirSync(path);
  await expect(claimSocket(namedServer('first'), path)).rejects.toThrow(path);
  expect(statSync(path).isDirectory()).toBe(true);
});

test('a missing directory and a path that is too long are errors', async () => {
  await expect(claimSocket(namedServer('a'), join(dir, 'missing/control.sock'))).rejects.toThrow(
    /ENOENT|EACCES/,
  );
  const long = join(dir, 'x'.repeat(MAX_SOCKET_PATH_BYTES - dir.length + 20));
  await expect(claimSocket(namedServer('b'), long)).rejects.toThrow();
  expect(readdirSync(dir)).toEqual([]);
});

test('release removes only its own file', async () => {
  const first = await claimSocket(namedServer('first'), path);
  rmSync(path);
  const second = await claimSocket(namedServer('second'), path);
  await release(first);
  expect(await askRaw(path, '')).toEqual(['second']);
  await release(second);
  expect(existsSync(path)).toBe(false);
});

test('exactly one of two concurrent claims of a stale path succeeds and answers', async () => {
  for (let round = 0; round < runs(150); round += 1) {
    await leaveStale();
    const claims = await Promise.all(
      ['a', 'b'].map(async (name) => ({ name, outcome: await claimSocket(namedServer(name), path) })),
    );
    const winners = claims.filter(({ outcome }) => outcome.kind === 'claimed');
    expect(winners).toHaveLength(1);
    expect(await askRaw(path, '')).toEqual([winners[0]?.name]);
    for (const { outcome } of claims) await release(outcome);
    expect(readdirSync(dir)).toEqual([]);
  }
});
