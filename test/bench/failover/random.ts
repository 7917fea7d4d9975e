import { setTimeout as delay } from 'node:timers/promises';
import { monotonicMs } from '../../../src/engine/system/time/monotonic-clock.ts';
import type { BedNode } from '../../helpers/vrrp/bed-node.ts';
import type { Fault } from './fault.ts';
import {
  apiKill,
  haproxyHang,
  haproxyKill,
  keepalivedKill,
  keepalivedTerm,
  never,
  nodeDeath,
  split,
  splitFar,
} from './faults.ts';
import type { Scene } from './scene.ts';

const onOneNode = [nodeDeath, haproxyKill, haproxyHang, keepalivedTerm, keepalivedKill, apiKill];
const steps = 3;

/** Two nodes have one trouble after another, each in its own rhythm; the third one has none but the network's. */
export const randomFaults: Fault = {
  name: 'random',
  about: `${steps} random faults on each of two nodes, overlapping as chance has it`,
  headline: 'twoHoldersMs',
  targets: { twoHoldersMs: never, twoHoldersAfterMs: never, staleVipMs: { atMost: 1_000, of: 'max' } },
  moves: 0,
  subjects: ['hawser'],
  inject: async (scene) => {
    const atMs = monotonicMs();
    const [first, second] = shuffled(scene.members);
    if (first === undefined || second === undefined)
      throw new Error('Cannot trouble two nodes: there are none');
    // Only one of the two may split the network: healing heals it all.
    await Promise.all([
      trouble(scene, first, [...onOneNode, split, splitFar]),
      trouble(scene, second, onOneNode),
    ]);
    return atMs;
  },
  undo: async () => {},
};

async function trouble(scene: Scene, node: BedNode, kinds: readonly Fault[]): Promise<void> {
  for (let step = 0; step < steps; step += 1) {
    await delay(Math.random() * 1_000);
    const fault = shuffled(kinds)[0];
    if (fault === undefined) return;
    process.stderr.write(`  ${fault.name} on ${node.name}\n`);
    // What is just being restarted cannot be hit.
    const hit = await fault.inject(scene, node).then(
      () => true,
      () => false,
    );
    if (!hit) continue;
    await delay(Math.random() * 3_000);
    await fault.undo(scene, node);
  }
}

function shuffled<T>(list: readonly T[]): readonly T[] {
  return list
    .map((value) => ({ value, key: Math.random() }))
    .sort((a, b) => a.key - b.key)
    .map(({ value }) => value);
}
