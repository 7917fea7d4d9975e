import { afterEach, beforeEach, expect, test } from 'vitest';
import { monotonicMs } from '../../src/engine/system/time/monotonic-clock.ts';
import type { Scene } from '../bench/failover/scene.ts';
import { startApiServer } from '../helpers/vrrp/api-server.ts';
import type { BedNode } from '../helpers/vrrp/bed-node.ts';
import { takesPart } from '../helpers/vrrp/hawser.ts';
import { quietFor, takeOvers } from '../helpers/vrrp/holdings.ts';
import { linesOf } from '../helpers/vrrp/node-log.ts';
import { waitFor } from '../helpers/wait-for.ts';
import { openVipWorld } from './vip-world.ts';

const PATIENCE_MS = 90_000;

let scene: Scene;
beforeEach(async () => {
  scene = await openVipWorld();
}, 180_000);
afterEach(() => scene?.[Symbol.asyncDispose]());

/** Cuts the power of every member and restores it. Nothing runs afterwards. */
async function cyclePower(): Promise<number> {
  const { bed, members } = scene;
  await scene.rested();
  await waitFor('every node to take part', () => members.every(takesPart), PATIENCE_MS);
  await Promise.all(members.map((node) => bed.powerOff(node)));
  for (const node of members) await bed.powerOn(node);
  return monotonicMs();
}

const takenBy = (fromMs: number): readonly string[] =>
  takeOvers(scene.bed.events(), fromMs, monotonicMs()).map(({ node }) => node);

/** Looks at no client: without an API server none is served. */
const hasSettled = () => scene.bed.holders().length === 1 && quietFor(scene.bed.events(), 3_000);

test('nodes that lost power together share the VIP again without an API server, and keep it in place once there is one', async () => {
  const { bed, members, stack } = scene;
  const fromMs = await cyclePower();
  for (const node of members) await stack.start(node);
  await waitFor('every node to take part', () => members.every(takesPart), PATIENCE_MS);
  await waitFor('one holder', hasSettled, PATIENCE_MS);
  // Until the first holder's bonus is in its adverts, every node with a higher priority may take over once.
  expect(takenBy(fromMs)).toEqual([...new Set(takenBy(fromMs))]);

  const againMs = monotonicMs();
  for (const node of members) startApiServer(bed, node);
  const isBack = (node: BedNode) =>
    linesOf(node, 'keepalived-monitor').some(({ event }) => event === 'api-recovered');
  await waitFor('every monitor to have the API', () => members.every(isBack), PATIENCE_MS);
  await waitFor('one holder', hasSettled, PATIENCE_MS);
  expect(takenBy(againMs)).toEqual([]);
}, 400_000);

/** True once its monitor waits for something other than a list. */
function hasSettledList(node: BedNode): boolean {
  const lines = linesOf(node, 'keepalived-monitor');
  const started = lines.findLastIndex(({ event }) => event === 'monitor-started');
  const isForList = (reason: unknown): boolean =>
    ['router-id', 'node-list', 'node-list-settling'].includes(String(reason));
  return lines
    .slice(started)
    .some(({ event, reason }) => event === 'participation-changed' && !isForList(reason));
}

test('a node removed while all were without power stays out, even without an API server and before any node holds the VIP', async () => {
  const { bed, members, stack } = scene;
  const fromMs = await cyclePower();
  const [removed, ...others] = members;
  if (removed === undefined) throw new Error('no node');
  bed.setMembers(others);
  await removed.namespace.run(
    'nft',
    `add table inet no_api; add chain inet no_api output { type filter hook output priority 0; };
      add rule inet no_api output tcp dport 6443 drop`,
  );
  for (const node of others) startApiServer(bed, node);
  const startsOf = (node: BedNode) =>
    linesOf(node, 'keepalived-monitor').filter(({ event }) => event === 'monitor-started').length;
  const starts = new Map(others.map((node) => [node, startsOf(node)]));
  for (const node of others) await stack.start(node);
  // It waits ten seconds for a list. On a busy machine the others may need longer for theirs.
  const haveList = () =>
    others.every((node) => startsOf(node) > (starts.get(node) ?? 0) && hasSettledList(node));
  await waitFor('the others to have a node list', haveList, PATIENCE_MS);
  await stack.start(removed);
  const isKeptOut = () =>
    linesOf(removed, 'keepalived-monitor').some(
      ({ event, reason }) =>
        event === 'participation-changed' && String(reason) === 'vip-held-by-unheard-host',
    );
  await waitFor('it to see who holds the VIP', isKeptOut, PATIENCE_MS);
  expect(takenBy(fromMs)).not.toContain(removed.name);
  expect(bed.holders()).toHaveLength(1);
}, 400_000);
