import { rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type ProcessId, readProcess } from '../../../../src/engine/system/process/processes.ts';
import { hawser } from '../../../helpers/supervisor-build.ts';
import type { BedNode } from '../../../helpers/vrrp/bed-node.ts';
import { sendSignal, waitForEnd } from '../../../helpers/vrrp/bed-process.ts';
import { type Monitored, startMonitored } from '../../../helpers/vrrp/monitored.ts';
import { createVrrpBed, type VrrpBed } from '../../../helpers/vrrp/vrrp-bed.ts';
import { waitFor } from '../../../helpers/wait-for.ts';

const PATIENCE = 120_000;
/** A pid namespace for the supervisor and keepalived, as in their container: their pids mean nothing outside. */
const CONTAINER = ['unshare', '--pid', '--fork', '--kill-child', '--mount-proc'];

let bed: VrrpBed;
let node: BedNode;
beforeAll(async () => {
  bed = await createVrrpBed(1);
  [node] = bed.nodes as [BedNode];
});
afterAll(() => bed?.[Symbol.asyncDispose]());
beforeEach(async () => {
  await bed.powerOff(node);
  await bed.powerOn(node);
  rmSync(node.at('keepalived-monitor.log'), { force: true });
});

const holds = () => bed.holders().includes(node);
const supervisors = (): readonly ProcessId[] =>
  node.processes().flatMap(({ id, argv }) => (argv.join(' ').includes('keepalived supervise') ? id : []));

async function startHolder(prefix: readonly string[]): Promise<Monitored> {
  const monitored = startMonitored(bed, node, [node], [], undefined, prefix, 100);
  await waitFor('the node to hold the VIP', holds);
  return monitored;
}

/** The monitor refreshes its file every half second, so each refresh seen is half a second. */
async function lookedFor(refreshes: number): Promise<void> {
  const seen = new Set<number>();
  const track = join(node.runDir, 'lb.track');
  await waitFor('the monitor to go on', () => seen.add(statSync(track).mtimeMs).size > refreshes);
}

test('a keepalived container that is killed as a whole leaves no VIP behind while the monitor lives', {
  timeout: PATIENCE,
}, async () => {
  const monitored = await startHolder(CONTAINER);
  const all = [...supervisors(), ...node.running('keepalived')];
  // The first process of a pid namespace: when it dies, the kernel kills all the others at once.
  const first = supervisors().filter(({ pid }) => readProcess(pid)?.parentPid !== process.pid);
  expect([all.length, first.length]).toEqual([4, 1]);
  sendSignal(first, 'SIGKILL');
  await waitForEnd(all);
  await waitFor('the VIP to be gone', () => !holds());
  expect(await monitored.waitForEvent('stale-vip-removed')).toMatchObject({
    removed: [`${bed.vip}/32 dev eth0`],
    reason: 'keepalived and its supervisor have ended without removing it',
  });
  expect(await monitored.metric('hawser_vip_repairs_total{kind="stale-removed"}')).toBe(1);
  // In an emergency, the operator adds the VIP by hand, and it stays.
  await node.namespace.run('ip', 'address', 'add', `${bed.vip}/32`, 'dev', 'eth0');
  await waitFor('the VIP to be back', holds);
  await lookedFor(3);
  expect(holds()).toBe(true);
});

test('a keepalived that outlives its supervisor keeps the VIP', { timeout: PATIENCE }, async () => {
  const monitored = await startHolder([]);
  const before = bed.events().length;
  const killed = supervisors();
  sendSignal(killed, 'SIGKILL');
  await waitForEnd(killed);
  await lookedFor(4);
  const own = ['--config', node.at('keepalived.conf'), '--run-dir', node.runDir];
  const socket = ['--socket', join(node.runDir, 'keepalived.sock')];
  node.start('keepalived', [hawser, 'keepalived', 'supervise', ...own, ...socket]);
  await waitFor('another supervisor', () => supervisors().length > 0);
  await lookedFor(4);
  expect(bed.events().slice(before)).toEqual([]);
  expect(monitored.events('stale-vip-removed')).toEqual([]);
});
