import { execFileSync, spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { monotonicMs } from '../../../src/engine/system/time/monotonic-clock.ts';
import { ports } from '../../helpers/supervisor-configuration.ts';
import { createSupervisedHost, type SupervisedHost } from '../../helpers/supervisor-host.ts';
import type { SupervisorProcess } from '../../helpers/supervisor-process.ts';
import { waitFor } from '../../helpers/wait-for.ts';

type Current = Awaited<ReturnType<SupervisorProcess['waitForServing']>>;

/** Longer than any test, so a drain that ends earlier was not waited for. */
const LONG_DRAIN = ['--force-delete-timeout', '10m', '--drain-timeout', '10m', '--start-timeout', '60s'];

function stop(pid: number | undefined): void {
  process.kill(pid ?? 0, 'SIGSTOP');
}

const hung = (host: SupervisedHost) =>
  waitFor('the hang to be seen', () => host.events('generation-hung')[0]);

const says = (host: SupervisedHost): Promise<string> =>
  host.namespace.run('curl', '-sf', '--max-time', '60', `http://127.0.0.1:${ports.version}/`);

async function start(flags = LONG_DRAIN): Promise<{
  readonly host: SupervisedHost;
  readonly supervisor: SupervisorProcess;
  readonly first: Current;
}> {
  const host = await createSupervisedHost();
  onTestFinished(() => host[Symbol.asyncDispose]());
  host.install('v1');
  const supervisor = host.supervise(flags);
  return { host, supervisor, first: await supervisor.waitForServing() };
}

test('a stopped worker is replaced without waiting for it to drain', async () => {
  const { host, supervisor, first } = await start();
  stop(first.workers[0]);
  await supervisor.waitForServing(1);
  expect(await says(host)).toBe('v1');
  expect(await hung(host)).toMatchObject({
    generation: 1,
    hangs: 'worker',
    level: 'error',
    dump: expect.stringMatching(`pid ${first.workers[0]} .*thread \\d+ T `),
  });
  await host.waitForGenerations(1);
  // The kill comes before the event.
  await waitFor('the kill to be reported', () => host.events('generation-killed').length > 0);
  expect(host.events('generation-killed')).toMatchObject([{ generation: 1, reason: 'hung' }]);
});

test('a stopped master and its stopped worker are replaced', async () => {
  const { host, supervisor, first } = await start();
  for (const pid of [first.pid, ...first.workers]) stop(pid);
  await supervisor.waitForServing(1);
  await host.waitForGenerations(1);
  expect(await says(host)).toBe('v1');
});

test('a stopped master is replaced without losing a connection or a stream', async () => {
  const { host, supervisor, first } = await start();
  await host.serve(ports.backend);
  const streams = await host.load({ port: ports.stream, streams: 4 });
  await waitFor('the streams', async () => (await supervisor.status()).current?.sessions === 4);
  const load = await host.load({ ratePerSecond: 50, servers: ['v1'] });
  stop(first.pid);
  await supervisor.waitForServing(1);
  expect(await hung(host)).toMatchObject({ hangs: 'master', info: expect.stringContaining('CurrConns') });
  expect((await load.stop()).lost).toEqual({});
  expect(streams.events().filter(({ kind }) => kind === 'cut')).toEqual([]);
  expect((await supervisor.status()).draining).toMatchObject([{ generation: 1, sent: 'soft-stop' }]);
});

test('a stopped master is killed as soon as its worker has drained', async () => {
  const { host, supervisor, first } = await start();
  stop(first.pid);
  await supervisor.waitForServing(1);
  await host.waitForGenerations(1);
  expect(await says(host)).toBe('v1');
});

test.each([
  ['sleeps', (fifo: string) => `io.open("${fifo}"):read()`],
  // Within one call to Lua's library: HAProxy 3.0 itself aborts a loop in Lua code after a second.
  ['spins', () => 'string.find(string.rep("a", 60), string.rep("a-", 60) .. "b")'],
] as const)('a worker whose event loop %s for ever is replaced', async (_, statement) => {
  await using host = await createSupervisedHost();
  const fifo = join(host.paths.dir, 'fifo');
  const script = join(host.paths.dir, 'trap.lua');
  const trap = 9010;
  execFileSync('mkfifo', [fifo]);
  const body = `${statement(fifo)} return ""`;
  writeFileSync(script, `core.register_fetches("trap", function() ${body} end)\n`);
  host.install('v1', {
    global: `  nbthread 1
  lua-load ${script}
`,
    more: `listen trap
  bind 127.0.0.1:${trap}
  http-request return status 200 content-type text/plain lf-string "%[lua.trap]"
`,
  });
  const supervisor = host.supervise(LONG_DRAIN);
  await supervisor.waitForServing();
  const [program, ...prefix] = host.namespace.prefix;
  const client = spawn(program, [...prefix, 'curl', '-s', '--max-time', '60', `http://127.0.0.1:${trap}/`]);
  onTestFinished(() => void client.kill('SIGKILL'));
  await supervisor.waitForServing(1);
  // HAProxy's own watchdog kills a spinning worker, before or after the new generation serves.
  await host.waitForGenerations(1);
  expect(await says(host)).toBe('v1');
});

test('a reload while a worker hangs is answered once nothing can connect to that worker any more', async () => {
  const { host, supervisor, first } = await start();
  const load = await host.load({ ratePerSecond: 100, servers: ['v1', 'v2'] });
  stop(first.workers[0]);
  host.install('v2');
  expect(await supervisor.reload()).toMatchObject({ ok: true });
  const answeredAtMs = monotonicMs();
  const after = await host.load({ ratePerSecond: 100, servers: ['v2'] });
  await host.waitForGenerations(1);
  await waitFor('the kill to be logged', () => host.events('generation-killed').length > 0);
  await load.stop();
  expect(load.lostSince(answeredAtMs)).toBe(0);
  expect((await after.stop()).lost).toEqual({});
});

test('a supervisor that takes over from a killed one replaces a hung worker', async () => {
  const { host, supervisor, first } = await start();
  stop(first.workers[0]);
  supervisor.kill('SIGKILL');
  await supervisor.ended;
  const next = host.supervise(LONG_DRAIN);
  await next.waitForServing(1);
  await host.waitForGenerations(1);
  expect(await says(host)).toBe('v1');
});

test('a supervisor that is asked to stop does not wait for a hung worker', async () => {
  const { host, supervisor, first } = await start();
  stop(first.workers[0]);
  supervisor.kill('SIGTERM');
  expect(await supervisor.ended).toBe(0);
  expect(host.haproxys()).toEqual([]);
});
