import { existsSync } from 'node:fs';
import { expect, test } from 'vitest';
import {
  createVrrpPair,
  keepalivedProcesses,
  killTogether,
  startBoth,
  startHolder,
} from '../../helpers/keepalived-node.ts';
import { times, waitFor } from '../../helpers/wait-for.ts';

test('after SIGTERM the peer has the VIP, nothing is left, and the exit code is 0', async () => {
  await using pair = await createVrrpPair();
  const [a, b] = pair.nodes;
  const [holder, other] = await startBoth(pair.nodes);
  holder.kill('SIGTERM');
  await other.waitForState('MASTER');
  expect(await holder.ended).toBe(0);
  expect(await a.holdsVip()).toBe(false);
  expect(await b.holdsVip()).toBe(true);
  expect([a.paths.states, a.paths.socket].map((path) => existsSync(path))).toEqual([false, false]);
  expect(a.events('keepalived-gone')).toMatchObject([{ how: 'exit code 0' }]);
});

test('"stop" gives up the VIP without ending the supervisor, and "start" starts keepalived again', async () => {
  await using pair = await createVrrpPair();
  const [a] = pair.nodes;
  const [holder, other] = await startBoth(pair.nodes);
  expect(await holder.ask('stop')).toEqual({ ok: true });
  expect(await a.holdsVip()).toBe(false);
  await other.waitForState('MASTER');
  expect(await holder.status()).toMatchObject({ phase: 'down', current: null });
  expect(await holder.ask('reload')).toMatchObject({ ok: false, stage: 'stop' });
  expect(await holder.ask('start')).toMatchObject({ ok: true, generation: 2 });
  await holder.waitForState('MASTER');
});

test('a keepalived that does not react to SIGTERM is killed, and its VIP is removed', async () => {
  await using pair = await createVrrpPair();
  const [a] = pair.nodes;
  const supervisor = await startHolder(a);
  const { current } = await supervisor.status();
  for (const { pid } of keepalivedProcesses(current?.pid)) process.kill(pid, 'SIGSTOP');
  supervisor.kill('SIGTERM');
  expect(await supervisor.ended).toBe(0);
  expect(await a.holdsVip()).toBe(false);
  expect(a.events('keepalived-killed')).toHaveLength(1);
});

test('after SIGKILL of all keepalived processes, the peer has the VIP, it is removed here, and keepalived is back', async () => {
  await using pair = await createVrrpPair();
  const [a, b] = pair.nodes;
  const [holder, other] = await startBoth(pair.nodes);
  const { current } = await holder.status();
  killTogether(keepalivedProcesses(current?.pid));
  await other.waitForState('MASTER');
  await times('stale-vip-removed', () => a.events('stale-vip-removed'), 1);
  expect(a.events('keepalived-died')).toMatchObject([{ held: ['API'], how: 'signal SIGKILL' }]);
  await waitFor('a restart', async () => (await holder.status()).restarts === 1);
  await waitFor('one holder', async () => (await a.holdsVip()) !== (await b.holdsVip()));
  expect((await holder.status()).current?.pid).not.toBe(current?.pid);
});

test('after SIGKILL of the VRRP process alone, everything restarts', async () => {
  await using pair = await createVrrpPair();
  const [a, b] = pair.nodes;
  const [holder, other] = await startBoth(pair.nodes);
  const [, child] = keepalivedProcesses((await holder.status()).current?.pid);
  process.kill(child?.pid ?? 0, 'SIGKILL');
  await other.waitForState('MASTER');
  await waitFor('a restart', async () => (await holder.status()).restarts === 1);
  await waitFor('one holder', async () => (await a.holdsVip()) !== (await b.holdsVip()));
});
