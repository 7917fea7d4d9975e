import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ProcessId } from '../../../src/model/process-id.ts';
import { monotonicMs } from '../../../src/system/monotonic-clock.ts';
import type { Fault } from '../../bench/failover/fault.ts';
import type { Scene } from '../../bench/failover/scene.ts';
import type { BedNode } from '../../helpers/vrrp/bed-node.ts';
import { sendSignal } from '../../helpers/vrrp/bed-process.ts';
import { takesPart } from '../../helpers/vrrp/hawser.ts';
import { waitFor } from '../../helpers/wait-for.ts';
import { heldByAnother, movesOfRecovery, openVipWorld } from './vip-world.ts';

let scene: Scene;
beforeAll(async () => {
  scene = await openVipWorld();
}, 120_000);
afterAll(() => scene?.[Symbol.asyncDispose]());

function monitorOf(node: BedNode): readonly ProcessId[] {
  const isMonitor = (argv: readonly string[]) => argv.join(' ').includes('hawser.mjs keepalived monitor');
  return node.processes().flatMap(({ id, argv }) => (isMonitor(argv) ? id : []));
}

const monitorHang: Fault = {
  name: 'monitor-hang',
  about: 'SIGSTOP for the monitor of the holder: its last value says that all is well',
  headline: 'outageMs',
  targets: {},
  moves: 1,
  inject: async (_scene, node) => {
    expect(monitorOf(node)).toHaveLength(1);
    sendSignal(monitorOf(node), 'SIGSTOP');
    return monotonicMs();
  },
  undo: async (_scene, node) => sendSignal(monitorOf(node), 'SIGCONT'),
};

test('a monitor that hangs on the holder leaves no healthy value behind: another node takes the VIP', async () => {
  const troubled = await scene.rested();
  await monitorHang.inject(scene, troubled);
  const next = await heldByAnother(scene, [troubled]);
  expect(await movesOfRecovery(scene, monitorHang, troubled)).toEqual([]);
  expect(scene.bed.holders()).toEqual([next]);
}, 240_000);

test('a keepalived that hangs on the holder is replaced without anybody: one holder is left, and the node is fit again', async () => {
  const troubled = await scene.rested();
  const before = troubled.running('keepalived');
  sendSignal(before, 'SIGSTOP');
  const next = await heldByAnother(scene, [troubled]);
  await waitFor(
    'another keepalived to take part',
    () =>
      !troubled.running('keepalived').some(({ pid }) => before.some((it) => it.pid === pid)) &&
      takesPart(troubled),
    30_000,
  );
  expect(await scene.rested()).toBe(next);
}, 240_000);
