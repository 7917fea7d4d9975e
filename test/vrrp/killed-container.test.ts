import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { readProcess } from '../../src/engine/system/process/processes.ts';
import { monotonicMs } from '../../src/engine/system/time/monotonic-clock.ts';
import { openScene, type Scene } from '../bench/failover/scene.ts';
import type { BedNode } from '../helpers/vrrp/bed-node.ts';
import { sendSignal, waitForEnd } from '../helpers/vrrp/bed-process.ts';
import { takesPart } from '../helpers/vrrp/hawser.ts';
import { overlapMs } from '../helpers/vrrp/holdings.ts';
import { waitFor } from '../helpers/wait-for.ts';
import { heldByAnother } from './vip-world.ts';

/** The supervisor and keepalived in their own pid namespace, which ends with its first process. */
const CONTAINER = ['unshare', '--pid', '--fork', '--kill-child', '--mount-proc'];
/** As docs/internals/decisions/0038 promises, for most kills: a starved machine is late by chance. */
const MOST_MS = 1_000;
const KILLS = 3;

let scene: Scene;
/** Its keepalived is down; afterEach restores it, so that a repeated test starts with whole nodes. */
let down: BedNode | undefined;
beforeAll(async () => {
  scene = await openScene('hawser', {
    flags: { keepalived: ['--monitor-timeout', '10s'] },
    own: (_node, part) => ({ prefix: part === 'keepalived' ? CONTAINER : [], flags: [] }),
  });
}, 240_000);
afterEach(async () => {
  if (down !== undefined) await scene.stack.restoreKeepalived(down);
  down = undefined;
});
afterAll(() => scene?.[Symbol.asyncDispose]());

/** All of its processes at once, as the kernel kills a container that is out of memory. */
async function killContainer(node: BedNode): Promise<void> {
  const supervisors = node
    .processes()
    .flatMap(({ id, argv }) => (argv.join(' ').includes(' keepalived supervise ') ? id : []));
  const all = [...supervisors, ...node.running('keepalived')];
  const first = supervisors.filter(({ pid }) => readProcess(pid)?.parentPid !== process.pid);
  expect([all.length, first.length]).toEqual([4, 1]);
  sendSignal(first, 'SIGKILL');
  await waitForEnd(all);
}

test('keepalived containers are killed whole, on holder after holder: the VIP moves, with two holders for at most a second', async () => {
  const overlapsMs: number[] = [];
  for (let kill = 1; kill <= KILLS; kill += 1) {
    await waitFor('every node to take part', () => scene.members.every(takesPart));
    const troubled = await scene.rested();
    const fromMs = monotonicMs();
    await killContainer(troubled);
    down = troubled;
    const next = await heldByAnother(scene, [troubled]);
    overlapsMs.push(overlapMs(scene.bed.events(), fromMs, monotonicMs()));
    if (kill === KILLS) break;
    await scene.stack.restoreKeepalived(troubled);
    down = undefined;
    await waitFor('it to take part again', () => takesPart(troubled));
    expect(await scene.rested()).toBe(next);
  }
  const [, medianMs] = overlapsMs.toSorted((a, b) => a - b);
  expect(medianMs, `${overlapsMs}`).toBeLessThanOrEqual(MOST_MS);
}, 400_000);
