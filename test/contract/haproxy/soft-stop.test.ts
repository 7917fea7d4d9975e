import { writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { isAlive } from '../../../src/engine/system/process/processes.ts';
import { createHaproxyProgram } from '../../../src/haproxy/haproxy-program.ts';
import { act } from '../../../src/haproxy/supervise/act.ts';
import { testFolder } from '../../helpers/test-folder.ts';
import { waitFor } from '../../helpers/wait-for.ts';

/** Listens only on sockets in `dir`, so it needs no network of its own. */
function configuration(dir: string): string {
  return `global
  stats socket ${dir}/stats.sock mode 600 level admin expose-fd listeners
defaults
  mode http
  timeout connect 1s
  timeout client 1m
  timeout server 1m
listen version
  bind unix@${dir}/lb.sock
  http-request return status 200
`;
}

function programIn(dir: string) {
  const config = join(dir, 'haproxy.cfg');
  writeFileSync(config, configuration(dir));
  return createHaproxyProgram({
    haproxy: '/usr/sbin/haproxy',
    config,
    statsSocket: join(dir, 'stats.sock'),
    pidFile: join(dir, 'haproxy.pid'),
    stateFile: join(dir, 'server-state'),
    forceDeleteTimeout: 1_000,
  });
}

const noEffects = { dispatch: () => {}, answer: () => {}, log: () => {}, finish: () => {} };

test('a generation that is stopped right after its proof does not continue to accept', async () => {
  const dir = testFolder();
  const program = programIn(dir);
  for (let number = 1; number <= 5; number += 1) {
    const started = program.start({ generation: number, config: 'live', takeOver: false });
    if (started.kind === 'failed') throw new Error(started.message);
    const { master, exited } = started;
    const workers = await program.prove({ generation: number, master }, AbortSignal.timeout(10_000));
    const generation = {
      number,
      master,
      workers: workers ?? [],
      reason: 'replaced' as const,
      sent: 'soft-stop' as const,
      since: 0,
      terminateAt: 0,
      nextShedAt: 0,
    };
    await act({ kind: 'soft-stop', generation }, { ...noEffects, program });
    let how: string | undefined;
    void exited.then((text) => {
      how = text;
    });
    const ended = await waitFor('it to end', () => how).catch(() => undefined);
    if (ended === undefined) await act({ kind: 'kill', generation }, { ...noEffects, program });
    await exited;
    expect(ended).toBe('exit code 0');
  }
  expect(await accepts(join(dir, 'lb.sock'))).toBe(false);
});

test('a generation that reloaded itself can still be stopped', async () => {
  const dir = testFolder();
  const program = programIn(dir);
  const started = program.start({ generation: 1, config: 'live', takeOver: false });
  if (started.kind === 'failed') throw new Error(started.message);
  const { master, exited } = started;
  const prove = () => program.prove({ generation: 1, master }, AbortSignal.timeout(10_000));
  const workers = (await prove()) ?? [];
  // A master that has just forked ignores the signal.
  await waitFor('the master to answer', () => program.findMaster(1));
  process.kill(master.pid, 'SIGUSR2');
  await waitFor('the recorded worker to be replaced', () => workers.length > 0 && !workers.some(isAlive));
  await prove();
  const generation = { number: 1, master, workers };
  await act({ kind: 'soft-stop', generation }, { ...noEffects, program });
  let isOver = false;
  void exited.then(() => {
    isOver = true;
  });
  const ended = await waitFor('it to end', () => isOver, 10_000).catch(() => false);
  if (!ended) await act({ kind: 'kill', generation }, { ...noEffects, program });
  await exited;
  expect(ended).toBe(true);
});

function accepts(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path);
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}
