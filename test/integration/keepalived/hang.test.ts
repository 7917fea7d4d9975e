import { expect, test } from 'vitest';
import {
  createVrrpPair,
  keepalivedProcesses,
  PATIENT,
  startBoth,
  startHolder,
  VIP,
  type VrrpNode,
  type VrrpSupervisorProcess,
} from '../../helpers/keepalived-node.ts';
import { times, waitFor } from '../../helpers/wait-for.ts';

/** Many times the grace period for a hung keepalived. */
const LONG_MS = 10_000;

async function stopped(supervisor: VrrpSupervisorProcess, which: 'parent' | 'child'): Promise<number> {
  const { current } = await supervisor.status();
  const [parent, child] = keepalivedProcesses(current?.pid);
  process.kill((which === 'parent' ? parent : child)?.pid ?? 0, 'SIGSTOP');
  return current?.pid ?? 0;
}

async function replaced(node: VrrpNode, supervisor: VrrpSupervisorProcess, before: number): Promise<void> {
  await times('keepalived-hung', () => node.events('keepalived-hung'), 1);
  await waitFor('another keepalived to run', async () => {
    const { current } = await supervisor.status();
    return current !== null && current.pid !== before;
  });
  expect(node.events('keepalived-hung')).toMatchObject([{ pid: before, stopped: true }]);
}

test('a hung keepalived on the holder is replaced, and the VIP that a peer took over is removed', async () => {
  await using pair = await createVrrpPair();
  const [a, b] = pair.nodes;
  const [holder, other] = await startBoth(pair.nodes);
  const before = await stopped(holder, 'child');
  await other.waitForState('MASTER');
  await replaced(a, holder, before);
  expect(a.events('stale-vip-removed')).toMatchObject([{ removed: [`${VIP}/32 dev eth0`] }]);
  await holder.waitForState('MASTER');
  await waitFor('one holder', async () => (await a.holdsVip()) && !(await b.holdsVip()));
});

test('a hung keepalived on a backup is replaced, and the holder keeps the VIP', async () => {
  await using pair = await createVrrpPair();
  const [a, b] = pair.nodes;
  const [, backup] = await startBoth(pair.nodes, PATIENT);
  const transitions = a.events('vrrp-transition').length;
  const before = await stopped(backup, 'child');
  await b.ip('address', 'add', `${VIP}/32`, 'dev', 'eth0');
  await replaced(b, backup, before);
  await backup.waitForState('BACKUP');
  expect(await b.holdsVip()).toBe(false);
  expect(a.events('vrrp-transition')).toHaveLength(transitions);
});

test('a keepalived whose parent process is stopped cannot be reloaded and is replaced', async () => {
  await using pair = await createVrrpPair();
  const [a] = pair.nodes;
  const supervisor = await startHolder(a);
  await replaced(a, supervisor, await stopped(supervisor, 'parent'));
  await supervisor.waitForState('MASTER');
});

test('a healthy keepalived is never considered hung, as holder or as backup', async () => {
  await using pair = await createVrrpPair();
  const [a, b] = pair.nodes;
  const [holder, backup] = await startBoth(pair.nodes);
  await runsLong(a, holder);
  await runsLong(b, backup);
});

test('an idle keepalived is never considered hung', async () => {
  await using pair = await createVrrpPair();
  const [a, b] = pair.nodes;
  a.install({ peers: false });
  b.install();
  const lonely = a.supervise();
  const unplugged = b.supervise();
  await lonely.waitForState('FAULT');
  await unplugged.waitForState('MASTER');
  await b.ip('link', 'set', 'eth0', 'down');
  await unplugged.waitForState('FAULT');
  await runsLong(a, lonely);
  await runsLong(b, unplugged);
});

async function runsLong(node: VrrpNode, supervisor: VrrpSupervisorProcess): Promise<void> {
  const age = async (): Promise<number> => (await supervisor.status()).current?.ageMs ?? 0;
  await waitFor('keepalived to have run for long', async () => (await age()) >= LONG_MS);
  expect(node.events('keepalived-hung')).toEqual([]);
  expect(await supervisor.status()).toMatchObject({ restarts: 0 });
}
