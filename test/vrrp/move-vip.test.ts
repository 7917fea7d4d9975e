import { afterAll, beforeAll, expect, test } from 'vitest';
import { monotonicMs } from '../../src/engine/system/time/monotonic-clock.ts';
import type { BedNode } from '../helpers/vrrp/bed-node.ts';
import { sendSignal, waitForEnd } from '../helpers/vrrp/bed-process.ts';
import { quietFor, takeOvers } from '../helpers/vrrp/holdings.ts';
import { type Monitored, startMonitored } from '../helpers/vrrp/monitored.ts';
import { argvOf, hasOrder, typed, vipPriority } from '../helpers/vrrp/typed.ts';
import { createVrrpBed, type VrrpBed } from '../helpers/vrrp/vrrp-bed.ts';
import { waitFor } from '../helpers/wait-for.ts';

const PATIENCE_MS = 90_000;
const MOMENT_MS = 500;
/** More than a master-down time. */
const SETTLED_MS = 5_000;

let bed: VrrpBed;
let nodes: readonly Monitored[];
beforeAll(async () => {
  bed = await createVrrpBed(3);
  nodes = bed.nodes.map((node) => startMonitored(bed, node, bed.nodes));
  await rested();
}, 180_000);
afterAll(() => bed?.[Symbol.asyncDispose]());

/**
 * Resolves with the holder once every priority is settled and nothing is in progress: a node that starts as a backup
 * learns of a new holder's bonus one advert later, and may take the VIP until then.
 */
const rested = async (): Promise<BedNode> =>
  await waitFor(
    'one holder whom everybody ranks as that',
    async () => {
      const [holder, ...more] = bed.holders();
      if (holder === undefined || more.length > 0 || bed.nodes.some(hasOrder)) return undefined;
      const all = await Promise.all(bed.nodes.map(async (node) => ({ node, ...(await vipPriority(node)) })));
      const isSettled = all.every(({ node, holder: holds, value, checks }) => {
        const isServing = checks.some(({ check, state }) => check === 'other nodes' && state === 'ok');
        return isServing && value !== null && holds === (node === holder);
      });
      return isSettled && quietFor(bed.events(), SETTLED_MS) ? holder : undefined;
    },
    PATIENCE_MS,
  );
/** Nodes that took the VIP and kept it for more than a moment: two backups may take it at once, and the lower one gives it up. */
const takenSince = (fromMs: number) =>
  takeOvers(bed.events(), fromMs, monotonicMs()).flatMap(({ node, fromMs: at, toMs }) =>
    toMs - at > MOMENT_MS ? node : [],
  );
const others = (node: BedNode) => bed.nodes.filter((each) => each !== node);

test('the VIP moves to the announced node and stays; on any other node the command says where to type what', async () => {
  const holder = await rested();
  const fromMs = monotonicMs();
  const announced = await typed(holder, 'move-vip', '--dry-run', '--json');
  expect(announced).toMatchObject({ exitCode: 0, report: { outcome: 'would-do' } });
  const other = others(holder).find(({ name }) =>
    String(announced.report?.['notes']).includes(`to ${name}:`),
  );
  const last = others(holder).find((node) => node !== other);
  if (other === undefined || last === undefined) throw new Error('no next holder was announced');
  const elsewhere = await typed(other, 'move-vip');
  expect(elsewhere.exitCode, elsewhere.text).toBe(1);
  expect(elsewhere.text).toContain(`run this command on its holder, ${holder.name}, or --to ${other.name}`);
  expect((await typed(holder, 'move-vip', '--to', last.name)).text).toContain(
    `run this command on ${last.name}`,
  );
  expect(bed.nodes.some(hasOrder)).toBe(false);
  expect(takenSince(fromMs)).toEqual([]);

  const moved = await typed(holder, 'move-vip', '--json');
  expect(moved).toMatchObject({ exitCode: 0, report: { outcome: 'done' } });
  expect(await rested()).toBe(other);
  expect(takenSince(fromMs)).toEqual([other.name]);
  expect(await typed(last, 'move-vip', '--to', last.name)).toMatchObject({ exitCode: 0 });
  expect(await rested()).toBe(last);
  expect(takenSince(fromMs)).toEqual([other.name, last.name]);
  expect((await typed(last, 'move-vip', '--to', last.name)).text).toContain('already');
}, 300_000);

test('two nodes that claim the VIP at once do not fight over it', async () => {
  const holder = await rested();
  const fromMs = monotonicMs();
  await Promise.all(others(holder).map((node) => typed(node, 'move-vip', '--to', node.name)));
  const winner = await rested();
  expect(others(holder)).toContain(winner);
  const moves = takenSince(fromMs);
  expect(moves.length).toBeLessThanOrEqual(3);
  expect(moves.at(-1)).toBe(winner.name);
}, 300_000);

test('a drained node has a lower priority than the others, and gives up the VIP', async () => {
  const holder = await rested();
  expect(await typed(holder, 'drain', '--json')).toMatchObject({
    exitCode: 0,
    report: { outcome: 'done' },
  });
  const { value, priority, order } = await vipPriority(holder);
  expect(order).toContain('drained by');
  expect([-120, -90]).toContain(value);
  for (const node of others(holder)) expect((await vipPriority(node)).priority).toBeGreaterThan(priority);
  expect((await typed(holder, 'move-vip')).text).toContain('this node is drained by');
  expect(await typed(holder, 'undrain')).toMatchObject({ exitCode: 0 });
  expect(await rested()).not.toBe(holder);
}, 300_000);

test('an ordered move is completed without its command and across a restart of the monitor', async () => {
  const holder = await rested();
  const monitored = nodes.find(({ node }) => node === holder);
  if (monitored === undefined) throw new Error('no such node');
  const fromMs = monotonicMs();
  const [, , , ...argv] = argvOf(holder, ['move-vip']);
  const command = holder.start('move-vip', argv);
  await waitFor('the order to be written', () => hasOrder(holder), PATIENCE_MS);
  sendSignal([command.id, monitored.monitor().id], 'SIGKILL');
  await waitForEnd([command.id, monitored.monitor().id]);
  monitored.startMonitor();
  expect(await rested()).not.toBe(holder);
  expect(takenSince(fromMs)).toHaveLength(1);
}, 300_000);

test('a move is refused if no other node serves', async () => {
  const holder = await rested();
  const haproxies = others(holder).flatMap((node) => node.running('haproxy'));
  sendSignal(haproxies, 'SIGKILL');
  await waitForEnd(haproxies);
  const alone = await typed(holder, 'move-vip', '--json');
  expect(alone).toMatchObject({ exitCode: 1, report: { outcome: 'refused', probe: null } });
  expect(String(alone.report?.['notes'])).toContain('no other node reports that it could serve');
  expect(await bed.holders()).toEqual([holder]);
}, 300_000);
