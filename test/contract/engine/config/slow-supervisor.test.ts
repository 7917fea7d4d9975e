import { once } from 'node:events';
import { readFileSync, rmSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Answer } from '../../../../src/engine/control/answer.ts';
import { type ApplyScene, createApplyScene, goodText, serving } from './apply-scene.ts';

const { signal } = new AbortController();
/** Only reloads are delayed: on a busy machine other answers may be late anyway. */
const impatient = { reloadTimeoutMs: 300, statusTimeoutMs: 60_000 };
const reloaded = { kind: 'reloaded', generation: 1, tookMs: 5 };
const asked = { kind: 'unreachable', message: expect.stringContaining('no answer arrived in time') };

let scene: ApplyScene;
let release: (answer: Answer) => void;
beforeEach(async () => {
  scene = await createApplyScene();
  scene.answers.reload = new Promise((resolve) => {
    release = resolve;
  });
});
afterEach(async () => {
  release({ ok: true });
  await scene[Symbol.asyncDispose]();
});

const live = () => readFileSync(scene.configPath, 'utf8');

describe('a reload that takes longer than its timeout', () => {
  it('is requested again until it has succeeded', async () => {
    await scene.serve();
    const deployer = scene.deployer(impatient);
    expect(await deployer.apply(goodText(), signal)).toMatchObject(asked);
    expect(await deployer.apply(goodText(), signal)).toMatchObject(asked);
    release({ ok: true, generation: 1, tookMs: 5 });
    expect(await deployer.later('reloaded')).toEqual(reloaded);
    expect(await deployer.apply(goodText(), signal)).toEqual({ kind: 'unchanged' });
  });

  it('is not requested again if the supervisor reports the file as served', async () => {
    await scene.serve();
    const deployer = scene.deployer(impatient);
    expect(await deployer.apply(goodText(), signal)).toMatchObject(asked);
    scene.answers.status = serving(goodText());
    await deployer.later('unchanged');
  });

  it('is replaced by the last good text if it is refused in the end', async () => {
    await scene.serve();
    const held = scene.answers.reload;
    scene.answers.reload = { ok: true };
    await scene.deployer().apply(goodText(1001), signal);
    scene.answers.reload = held;
    const deployer = scene.deployer(impatient);
    expect(await deployer.apply(goodText(1002), signal)).toMatchObject(asked);
    scene.answers.reload = { ok: false, stage: 'prove', message: 'no answer in 10s' };
    expect(await deployer.later('rejected')).toMatchObject({ by: 'reload' });
    expect(live()).toBe(goodText(1001));
  });
});

it('a daemon that never answers is not assumed to serve the file', async () => {
  const path = join(scene.directory, 'master.sock');
  await using daemon = await listen(path, (socket) => socket.resume());
  expect(daemon.server.listening).toBe(true);
  const deployer = scene.deployer({ ...impatient, statusTimeoutMs: 300 });
  expect(await deployer.apply(goodText(), signal)).toMatchObject(asked);
  expect(await deployer.apply(goodText(), signal)).toMatchObject(asked);
});

it('a supervisor that ends before it answers is unreachable', async () => {
  const path = join(scene.directory, 'master.sock');
  await using daemon = await listen(path, (socket) => {
    rmSync(path, { force: true });
    socket.end();
  });
  expect(daemon.server.listening).toBe(true);
  expect(await scene.deployer(impatient).apply(goodText(), signal)).toMatchObject({ kind: 'unreachable' });
});

async function listen(
  path: string,
  serve: (socket: Socket) => void,
): Promise<AsyncDisposable & { readonly server: Server }> {
  const sockets: Socket[] = [];
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    sockets.push(socket);
    serve(socket);
  });
  server.listen(path);
  await once(server, 'listening');
  return {
    server,
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
