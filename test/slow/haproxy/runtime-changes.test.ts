import { isDeepStrictEqual } from 'node:util';
import { expect, test } from 'vitest';
import { patientTimes } from '../../helpers/supervisor-host.ts';
import { waitFor } from '../../helpers/wait-for.ts';
import { lbPort, openRuntimeWorld, served, servers } from './runtime-world.ts';

const cutsOf = (load: { events(): readonly { kind: string }[] }) =>
  load.events().filter(({ kind }) => kind === 'cut').length;

test('fifty changes of the API servers cut no stream to the others and start no HAProxy', async () => {
  const { host, begin, want, serving } = await openRuntimeWorld();
  const lasting = ['cp-1', 'cp-2', 'cp-3'];
  const supervisor = host.supervise(patientTimes);
  await begin(supervisor, ...lasting);
  const haproxys = host.haproxys().map(({ id }) => id.pid);
  const streams = await host.load({ port: lbPort, streams: 200, streamRampMs: 500 });
  await waitFor('the streams', async () => ((await supervisor.status()).current?.sessions ?? 0) >= 200);
  for (let change = 0; change < 50; change += 1) {
    const extra = [`cp-${4 + (Math.floor(change / 2) % 5)}`].filter(() => change % 2 === 0);
    expect(await want(...lasting, ...extra)).toMatchObject({ kind: 'reloaded', atRunTime: true });
    expect(await serving()).toEqual(served(...lasting, ...extra));
  }
  expect(host.haproxys().map(({ id }) => id.pid)).toEqual(haproxys);
  expect(cutsOf(streams)).toBe(0);
  expect((await supervisor.status()).changes).toEqual({ made: 50, repaired: 0, refused: 0 });
});

// A removed server ends whatever has not finished after 250 ms: a starved client loses connections by design.
test('adding API servers one after the other loses no connection', async () => {
  const { host, begin, want, serving } = await openRuntimeWorld();
  await begin(host.supervise(patientTimes), ...servers.slice(0, 2));
  const load = await host.load({ port: lbPort, ratePerSecond: 100, servers });
  for (let count = 3; count <= servers.length; count += 1) {
    const names = servers.slice(0, count);
    expect(await want(...names)).toMatchObject({ kind: 'reloaded', atRunTime: true });
    expect(await serving()).toEqual(served(...names));
  }
  expect((await load.stop()).lost).toEqual({});
});

test('a removed server loses its streams, also in a draining generation, and no other server does', async () => {
  const { host, begin, want, tell } = await openRuntimeWorld();
  const supervisor = host.supervise(['--force-delete-timeout', '60s']);
  await begin(supervisor, 'cp-1', 'cp-2');
  const onRemoved = async (): Promise<number> =>
    Number(
      (await tell('show stat masters 4 -1'))
        .split('\n')
        .find((row) => row.startsWith('masters,cp-2,'))
        ?.split(',')[4],
    );
  await waitFor('both to be up', async () => !(await tell('show stat')).includes('DOWN'));
  const old = await host.load({ port: lbPort, streams: 10, servers });
  await waitFor('the streams', async () => ((await supervisor.status()).current?.sessions ?? 0) >= 10);
  const oldCuts = await onRemoved();
  expect(await supervisor.reload()).toMatchObject({ ok: true });
  const newer = await host.load({ port: lbPort, streams: 10, servers });
  await waitFor('more streams', async () => ((await supervisor.status()).current?.sessions ?? 0) >= 10);
  const newerCuts = await onRemoved();
  // Five each, unless a server was too starved to be chosen.
  for (const cuts of [oldCuts, newerCuts]) expect([0, 10]).not.toContain(cuts);
  await want('cp-1', 'cp-2', 'cp-3');
  expect(await want('cp-1', 'cp-3')).toMatchObject({ atRunTime: true });
  await waitFor('its streams to be cut', () => cutsOf(old) >= oldCuts && cutsOf(newer) >= newerCuts);
  expect([cutsOf(old), cutsOf(newer)]).toEqual([oldCuts, newerCuts]);
  expect((await supervisor.status()).draining).toHaveLength(1);
});

test('a server that was changed by hand is restored', async () => {
  const { host, begin, want, serving, running, tell } = await openRuntimeWorld();
  const supervisor = host.supervise();
  const { generation } = await begin(supervisor, 'cp-1', 'cp-2');
  await want('cp-1', 'cp-2', 'cp-3');
  const before = await running();
  await tell('set server masters/cp-1 state maint');
  await tell('set server masters/cp-2 addr 127.0.0.99 port 1');
  await tell('set server masters/cp-3 weight 7');
  await tell('add server masters/stranger 127.0.0.99:1');
  await tell('set server masters/stranger state ready');
  await waitFor('the previous servers', async () => {
    const now = await running();
    return [...before].every(([name, { forMs: _, isDown: __, ...server }]) =>
      isDeepStrictEqual({ ...now.get(name), ...server }, now.get(name)),
    );
  });
  await waitFor('the stranger to be gone', async () => !(await running()).has('masters/stranger'));
  expect(await serving()).toEqual(served('cp-1', 'cp-2', 'cp-3'));
  expect((await supervisor.status()).current?.generation).toBe(generation);
  expect(host.events('drift-repaired').length).toBeGreaterThan(0);
  expect(host.events('change-refused')).toEqual([]);
});

test('a restarted supervisor keeps serving earlier runtime updates and makes new ones', async () => {
  const { host, begin, want, serving } = await openRuntimeWorld();
  const first = host.supervise();
  const { generation } = await begin(first, 'cp-1', 'cp-2');
  await want('cp-1', 'cp-2', 'cp-3');
  first.kill('SIGKILL');
  await first.ended;
  const second = host.supervise();
  await second.waitForServing(generation);
  expect(await serving()).toEqual(served('cp-1', 'cp-2', 'cp-3'));
  await waitFor('a change without a reload', async () => {
    const outcome = await want('cp-1', 'cp-3');
    return outcome.kind === 'reloaded' && outcome.atRunTime;
  });
  expect(await serving()).toEqual(served('cp-1', 'cp-3'));
});

test('an API server that an operator took out of rotation stays out across the reload that adds another', async () => {
  const { host, begin, want, serving, tell } = await openRuntimeWorld('shipped');
  const supervisor = host.supervise();
  const { generation } = await begin(supervisor, 'cp-1', 'cp-2', 'cp-3');
  await tell('set server masters/cp-1 state maint');
  await tell('set server masters/cp-2 state drain');
  expect(await want('cp-1', 'cp-2', 'cp-3', 'cp-4')).toMatchObject({ generation: generation + 1 });
  expect(await serving()).toEqual(served('cp-3', 'cp-4'));
  await tell('set server masters/cp-1 state ready');
  await tell('set server masters/cp-2 state ready');
  await waitFor('all to be up', async () => (await tell('show stat masters 4 -1')).split(',UP').length > 4);
  expect(await serving()).toEqual(served('cp-1', 'cp-2', 'cp-3', 'cp-4'));
  expect(host.events('drift-repaired')).toEqual([]);
});

test('across a reload a down server stays down and a warming one keeps warming up, though both were added at runtime', async () => {
  const { host, begin, want, tell } = await openRuntimeWorld();
  const supervisor = host.supervise();
  const { generation } = await begin(supervisor, 'cp-1', 'cp-2');
  await want('cp-1', 'cp-2', 'cp-3', 'cp-4');
  await tell('set server masters/cp-3 health down');
  const rowOf = async (server: string) =>
    (await tell('show stat masters 4 -1')).split('\n').find((row) => row.startsWith(`masters,${server},`)) ??
    '';
  const isDown = async () => (await rowOf('cp-3')).includes(',DOWN');
  await waitFor('the server to be down', isDown);
  expect(await supervisor.reload()).toMatchObject({ ok: true, generation: generation + 1 });
  expect(await isDown()).toBe(true);
  const weight = Number((await rowOf('cp-4')).split(',')[18]);
  expect(weight).toBeGreaterThan(0);
  expect(weight).toBeLessThan(256);
});
