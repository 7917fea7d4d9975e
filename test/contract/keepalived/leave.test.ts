import { rmSync } from 'node:fs';
import { expect, test } from 'vitest';
import { isAlive } from '../../../src/engine/system/process/processes.ts';
import { createVrrpPair, keepalivedProcesses, PATIENT, startBoth } from '../../helpers/keepalived-node.ts';
import { waitFor } from '../../helpers/wait-for.ts';

test('"leave" gives the VIP up, and the next reload brings the node back', async () => {
  await using pair = await createVrrpPair();
  const [a] = pair.nodes;
  const [holder, other] = await startBoth(pair.nodes);
  expect(await holder.ask('leave')).toEqual({ ok: true });
  expect(await a.holdsVip()).toBe(false);
  await other.waitForState('MASTER');
  expect(await holder.status()).toMatchObject({ phase: 'waiting-for-configuration', current: null });
  expect(await holder.ask('leave')).toEqual({ ok: true });
  expect(await holder.ask('reload')).toMatchObject({ ok: true, generation: 2 });
  await holder.waitForState('MASTER');
});

test('a supervisor that restarts on a node that has left starts nothing', async () => {
  await using pair = await createVrrpPair();
  const [a] = pair.nodes;
  const [holder] = await startBoth(pair.nodes);
  // The monitor takes the configuration away first: this supervisor may die before it has answered.
  rmSync(a.paths.config);
  await holder.ask('leave');
  holder.kill('SIGKILL');
  await holder.ended;
  const again = a.supervise();
  await again.waitForPhase('waiting-for-configuration');
  a.install();
  expect(await again.ask('reload')).toMatchObject({ ok: true });
});

test('a supervisor that finds a keepalived of a node that has left keeps it until it is asked again', async () => {
  await using pair = await createVrrpPair();
  const [a, b] = pair.nodes;
  for (const node of pair.nodes) node.install(PATIENT);
  const [holder, other] = [a.supervise(), b.supervise()];
  await holder.waitForState('MASTER');
  await other.waitForState('BACKUP');
  const processes = keepalivedProcesses((await holder.status()).current?.pid);
  rmSync(a.paths.config);
  holder.kill('SIGKILL');
  await holder.ended;
  const again = a.supervise();
  await waitFor('the adoption', async () => (await again.status()).current?.pid === processes[0]?.pid);
  expect(await again.ask('leave')).toEqual({ ok: true });
  expect(processes.filter(isAlive)).toEqual([]);
  expect(await a.holdsVip()).toBe(false);
});
