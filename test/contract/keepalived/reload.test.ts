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
import { connectRaw } from '../../helpers/supervisor-raw-client.ts';
import { waitFor } from '../../helpers/wait-for.ts';

test('reloads, with and without a change, move nothing and keep the process', async () => {
  await using pair = await createVrrpPair();
  const [a, b] = pair.nodes;
  const [holder] = await startBoth(pair.nodes, PATIENT);
  const before = await holder.status();
  const transitions = [a, b].map((node) => node.events('vrrp-transition').length);
  expect(await holder.ask('reload')).toMatchObject({ ok: true, generation: 2, pid: before.current?.pid });
  a.install({ ...PATIENT, priority: 225 });
  expect(await holder.ask('reload')).toMatchObject({ ok: true, generation: 3, pid: before.current?.pid });
  expect((await holder.status()).instances).toMatchObject([{ state: 'MASTER', priority: 225 }]);
  // All in one write: a request that arrives after the others have started would cause another generation.
  const client = await connectRaw(a.paths.socket);
  client.socket.write('reload\n'.repeat(4));
  const answers = (await client.waitForLines(4)).map((line): unknown => JSON.parse(line));
  client.socket.destroy();
  expect(answers).toMatchObject([{ ok: true }, { ok: true }, { ok: true }, { ok: true }]);
  expect((await holder.status()).current?.generation).toBe(5);
  expect([a, b].map((node) => node.events('vrrp-transition').length)).toEqual(transitions);
  expect(await a.holdsVip()).toBe(true);
});

test("a broken configuration is refused with keepalived's message, and the running one stays", async () => {
  await using pair = await createVrrpPair();
  const [a] = pair.nodes;
  const supervisor = await startHolder(a);
  const before = await supervisor.status();
  const transitions = a.events('vrrp-transition').length;
  a.install({ extra: 'virtual_router_id 777' });
  expect(await supervisor.ask('reload')).toMatchObject({
    ok: false,
    stage: 'check',
    detail: expect.stringContaining("VRID '777' not valid"),
  });
  writeFileSync(a.paths.config, '');
  expect(await supervisor.ask('reload')).toMatchObject({ ok: false, stage: 'check' });
  const after = await supervisor.status();
  expect(after.current).toMatchObject({ pid: before.current?.pid, generation: 1 });
  expect(after.lastFailure).toMatchObject({ stage: 'check' });
  expect(a.events('vrrp-transition').length).toBe(transitions);
  expect(await a.holdsVip()).toBe(true);
});

test('if keepalived ends in a reload the last good configuration serves, and the other one is tried once more', async () => {
  await using pair = await createVrrpPair();
  const [a] = pair.nodes;
  const supervisor = await startHolder(a);
  const processes = keepalivedProcesses((await supervisor.status()).current?.pid);
  a.install({ priority: 225 });
  for (const { pid } of processes) process.kill(pid, 'SIGSTOP');
  const reload = supervisor.ask('reload');
  await waitFor('the reload', async () => (await supervisor.status()).reload?.stage === 'reloading');
  killTogether(processes);
  expect(await reload).toMatchObject({ ok: false, stage: 'start' });
  expect(await supervisor.waitForState('MASTER')).toMatchObject({ priority: 220 });
  expect(await supervisor.status()).toMatchObject({ restarts: 1, current: { generation: 1 } });
  expect(a.events('falling-back-to-last-good')).toMatchObject([{ generation: 1 }]);
  expect(await supervisor.ask('reload')).toMatchObject({ ok: true, generation: 2 });
  expect(await supervisor.waitForState('MASTER')).toMatchObject({ priority: 225 });
});

test('a keepalived that dies while its file is broken is restarted with the last good copy', async () => {
  await using pair = await createVrrpPair();
  const [a] = pair.nodes;
  const supervisor = await startHolder(a);
  const { current } = await supervisor.status();
  a.install({ extra: 'virtual_router_id 777' });
  process.kill(current?.pid ?? 0, 'SIGKILL');
  await waitFor('the restart', async () => (await supervisor.status()).restarts === 1);
  await supervisor.waitForState('MASTER');
  expect(await supervisor.status()).toMatchObject({ restarts: 1, current: { generation: 1 } });
});
