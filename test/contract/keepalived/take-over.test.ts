import { writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import {
  createVrrpPair,
  keepalivedProcesses,
  killTogether,
  PATIENT,
  startBoth,
  startHolder,
} from '../../helpers/keepalived-node.ts';
import { waitFor } from '../../helpers/wait-for.ts';

test('a killed supervisor leaves the VIP in place, and the next one adopts keepalived', async () => {
  await using pair = await createVrrpPair();
  const [a, b] = pair.nodes;
  const [first, other] = await startBoth(pair.nodes, PATIENT);
  const { current } = await first.status();
  const transitions = b.events('vrrp-transition').length;
  first.kill('SIGKILL');
  expect(await first.ended).toBe('SIGKILL');
  expect(await a.holdsVip()).toBe(true);
  const next = a.supervise();
  await next.waitForState('MASTER');
  await waitFor('the boot to be done', async () => (await next.status()).reload === null);
  expect((await next.status()).current?.pid).toBe(current?.pid);
  expect(b.events('vrrp-transition').length).toBe(transitions);
  expect(a.events('keepalived-adopted')).toMatchObject([{ pid: current?.pid }]);
  next.kill('SIGTERM');
  expect(await next.ended).toBe(0);
  await other.waitForState('MASTER');
  expect(await a.holdsVip()).toBe(false);
});

test('a keepalived that died without a supervisor leaves no VIP behind', async () => {
  await using pair = await createVrrpPair();
  const [a] = pair.nodes;
  const first = await startHolder(a);
  const processes = keepalivedProcesses((await first.status()).current?.pid);
  first.kill('SIGKILL');
  await first.ended;
  killTogether(processes);
  const next = a.supervise();
  await next.waitForState('MASTER');
  expect(a.events('stale-vip-removed')).toHaveLength(1);
  expect(a.events('keepalived-died')).toEqual([]);
  expect((await next.status()).current?.pid).not.toBe(processes[0]?.pid);
});

test('a keepalived whose record was lost is found by its pid file', async () => {
  await using pair = await createVrrpPair();
  const [a] = pair.nodes;
  const first = await startHolder(a);
  const { current } = await first.status();
  first.kill('SIGKILL');
  await first.ended;
  writeFileSync(`${a.paths.dir}/hawser-keepalived.json`, '');
  const next = a.supervise();
  await next.waitForState('MASTER');
  expect((await next.status()).current?.pid).toBe(current?.pid);
});
