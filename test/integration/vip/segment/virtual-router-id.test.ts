import { existsSync, mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { foreignRouterText } from '../../../helpers/foreign-router.ts';
import { pidFileFlags } from '../../../helpers/keepalived-process.ts';
import type { BedNode } from '../../../helpers/vrrp/bed-node.ts';
import { sendSignal, waitForEnd } from '../../../helpers/vrrp/bed-process.ts';
import { takesPart } from '../../../helpers/vrrp/hawser.ts';
import { type Monitored, startMonitored } from '../../../helpers/vrrp/monitored.ts';
import { createVrrpBed, type VrrpBed } from '../../../helpers/vrrp/vrrp-bed.ts';
import { waitFor } from '../../../helpers/wait-for.ts';

vi.setConfig({ testTimeout: 180_000 });

let bed: VrrpBed;
let node: BedNode;
let foreign: BedNode;

beforeAll(async () => {
  bed = await createVrrpBed(2);
  [node, foreign] = bed.nodes as [BedNode, BedNode];
});
afterAll(() => bed?.[Symbol.asyncDispose]());
beforeEach(boot);

async function boot(): Promise<void> {
  for (const each of bed.nodes) {
    await bed.powerOff(each);
    await bed.powerOn(each);
  }
  // Left by a killed keepalived; by now another process may have its pid.
  for (const file of ['foreign.pid', 'foreign.vrrp.pid']) rmSync(foreign.at(file), { force: true });
  for (const file of ['keepalived.conf', 'vrrp-nodes.json.api.ipv4', 'keepalived-monitor.log'])
    rmSync(node.at(file), { force: true });
}

/** On the same segment, one advert a second. Resolves once it holds its VIP, so that its adverts can be heard. */
async function startForeign(vip: string, version: 2 | 3, virtualRouterId = 77): Promise<void> {
  writeFileSync(foreign.at('foreign.conf'), foreignRouterText(version, [{ virtualRouterId, vips: [vip] }]));
  const pids = pidFileFlags((name) => foreign.at(`foreign.${name}`));
  const how = ['--dont-fork', '--vrrp', '--log-console', '-f', foreign.at('foreign.conf')];
  foreign.start('foreign', ['/usr/sbin/keepalived', ...how, ...pids]);
  const [address = ''] = vip.split('/');
  const held = async () => (await foreign.namespace.run('ip', '-o', 'address', 'show', 'to', address)) !== '';
  await waitFor('the other router to hold its VIP', held);
}

const start = (flags: readonly string[] = []): Monitored => startMonitored(bed, node, [node], flags);
const tables = () => node.namespace.run('nft', 'list', 'tables');
/** The sets of foreign adverts exist only while the node listens for them; the table exists as long as it holds the VIP. */
const listens = async () => (await node.namespace.run('nft', 'list', 'ruleset')).includes('heard0');
const listening = () => waitFor('the guard to listen', listens);
const joined = () => waitFor('the node to hold the VIP', () => bed.holders().includes(node));

test("a node does not join with another cluster's id, and joins once that cluster is gone", async () => {
  await startForeign('10.77.0.250/32', 3);
  const monitored = start();
  await listening();
  await waitFor('multicast to be let in', async () =>
    (await node.namespace.run('ip', 'maddress', 'show', 'dev', 'eth0')).includes('224.0.0.18'),
  );
  const { message, ours, theirs } = await monitored.waitForEvent('virtual-router-id-taken');
  expect(message).toContain(`router id "77" (cluster "bed", VIP ${bed.vip} on eth0): ${foreign.address} adv`);
  expect(message).toContain('--force-virtual-router-id');
  expect(ours).toMatchObject({ virtualRouterId: 77, vip: bed.vip, interface: 'eth0' });
  expect(theirs).toMatchObject({ source: foreign.address, vip: '10.77.0.250', version: 3, priority: 5 });
  expect(await monitored.metric('hawser_virtual_router_id_taken')).toBe(1);
  expect(takesPart(node)).toBe(false);

  foreign.killAll();
  await joined();
  expect(monitored.events('virtual-router-id-free')).toHaveLength(1);
  expect(monitored.events('virtual-router-id-taken')).toHaveLength(1);
  expect(await monitored.metric('hawser_virtual_router_id_taken')).toBe(0);
  expect(await listens()).toBe(false);
});

test('a node does not join while leftover shell pods advertise its VIP in VRRP 2', async () => {
  await startForeign(bed.vip, 2);
  const { message } = await start().waitForEvent('vip-in-another-vrrp-version');
  expect(message).toContain(`${foreign.address} advertises this VIP with it (VRRP 2, priority 5)`);
  expect(takesPart(node)).toBe(false);
});

test('a node does not join a holder of its VIP with another router id, and joins once the holder is gone', async () => {
  await startForeign(bed.vip, 3, 154);
  // As a peer, like a node that was installed with another cluster name.
  const monitored = startMonitored(bed, node, bed.nodes);
  const { message, ours, theirs } = await monitored.waitForEvent('vip-with-another-router-id');
  expect(message).toContain(`${foreign.address} advertises this VIP with id 154`);
  expect(ours).toMatchObject({ virtualRouterId: 77, vip: bed.vip });
  expect(theirs).toMatchObject({ source: foreign.address, virtualRouterId: 154, vip: bed.vip });
  expect(await monitored.metric('hawser_virtual_router_id_taken')).toBe(1);
  expect(takesPart(node)).toBe(false);
  expect(bed.holders()).toEqual([foreign]);

  foreign.killAll();
  await joined();
  expect(monitored.events('virtual-router-id-free')).toHaveLength(1);
});

test('--force-virtual-router-id joins anyway', async () => {
  await startForeign('10.77.0.250/32', 3);
  const monitored = start(['--force-virtual-router-id']);
  await joined();
  expect(monitored.events('virtual-router-id-taken')).toEqual([]);
});

async function killedWhileListening(): Promise<Monitored | false> {
  await boot();
  const monitored = start();
  await listening();
  const killed = monitored.monitor().id;
  sendSignal([killed], 'SIGKILL');
  await waitForEnd([killed]);
  return (await listens()) && monitored;
}

test('a monitor killed while it listens leaves nothing behind after the next one has run', async () => {
  // It listens for a few seconds. If it is killed too late, it has already cleaned up, and the attempt does not count.
  const monitored = await waitFor('one to be killed while it listens', killedWhileListening, 120_000);
  monitored.startMonitor();
  await joined();
  await waitFor('the end of listening', async () => !(await listens()));
});

test('a newcomer does not block changes on a node whose keepalived is already running', async () => {
  const monitored = start();
  await joined();
  // In VRRP 2: keepalived 2.3 would take adverts for another VIP as its own group's and would not hold its VIP.
  await startForeign('10.77.0.250/32', 2);
  const [keepalived] = node.running('keepalived');
  const before = monitored.monitor().id;
  sendSignal([before], 'SIGTERM');
  await waitForEnd([before]);
  expect(await tables()).toBe('');
  // As left by a killed monitor; no listener would replace it any more.
  await node.namespace.run('nft', 'add', 'table', 'netdev', 'hawser_segment');
  monitored.startMonitor();
  await waitFor(
    'the next monitor to compare what is served',
    async () => (await monitored.metric('hawser_applies_total{result="unchanged"}')) ?? false,
  );
  expect(monitored.events('virtual-router-id-taken')).toEqual([]);
  expect(node.running('keepalived')[0]).toEqual(keepalived);
  expect(await listens()).toBe(false);
});

/** All programs of the system except nft. */
function binWithoutNft(): string {
  const dir = node.at('bin');
  rmSync(dir, { recursive: true, force: true });
  mkdirSync(dir);
  const { PATH = '' } = process.env;
  const programs = new Map<string, string>();
  for (const folder of PATH.split(':').filter((each) => existsSync(each)))
    for (const name of readdirSync(folder)) if (!programs.has(name)) programs.set(name, join(folder, name));
  programs.delete('nft');
  for (const [name, program] of programs) symlinkSync(program, join(dir, name));
  return dir;
}

test('without nft the node joins, and each guard says once that it does not watch', async () => {
  await startForeign('10.77.0.250/32', 3);
  const monitored = startMonitored(bed, node, [node], [], binWithoutNft());
  await joined();
  const { message } = await monitored.waitForEvent('segment-not-watched');
  expect(message).toContain('"nft" cannot be run (ENOENT)');
  expect(monitored.events('virtual-router-id-not-checked')).toHaveLength(1);
  expect(await monitored.metric('hawser_virtual_router_id_taken')).toBe(0);
});
