import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { monotonicMs } from '../../src/engine/system/time/monotonic-clock.ts';
import { openScene, type Scene } from '../bench/failover/scene.ts';
import { ensureBuilt } from '../helpers/supervisor-build.ts';
import { sendSignal, waitForEnd } from '../helpers/vrrp/bed-process.ts';
import { takeOvers } from '../helpers/vrrp/holdings.ts';
import { waitFor } from '../helpers/wait-for.ts';
import { changeAtOnce, eventsOf } from './agreed-change.ts';

let scene: Scene;
beforeAll(async () => {
  ensureBuilt();
  // How late one node may be is counted in adverts: so rare that a busy machine is not too late.
  scene = await openScene('hawser', {
    flags: { 'keepalived-monitor': ['--advert-interval', '3s', '--mode', 'multicast'] },
    restMs: 4_000,
  });
}, 120_000);
afterAll(() => scene?.[Symbol.asyncDispose]());

test('an unreadable agreement is reported, and changes nothing', async () => {
  const holder = await scene.rested();
  const fromMs = monotonicMs();
  for (const node of scene.members) writeFileSync(node.at('monitor-user.conf'), 'mode: unicats\n');
  for (const node of scene.members)
    await waitFor('the file to be told', () => eventsOf(node).includes('agreement-unusable'), 30_000);
  expect(await scene.rested()).toBe(holder);
  expect(takeOvers(scene.bed.events(), fromMs, monotonicMs())).toEqual([]);
  for (const node of scene.members) {
    expect(eventsOf(node)).not.toContain('profile-changed');
    rmSync(node.at('monitor-user.conf'));
  }
  for (const node of scene.members)
    await waitFor('the file to be understood', () => eventsOf(node).includes('agreement-usable'), 30_000);
}, 240_000);

const speaksUnicast = (configuration: string): boolean => configuration.includes('unicast_peer');

test('multicast becomes unicast on all nodes at one agreed time, and one of them holds the VIP', async () => {
  const { bed, client, members } = scene;
  await scene.rested();
  const change = await changeAtOnce({ bed, client, nodes: members }, 'mode: unicast', speaksUnicast);
  console.info('multicast to unicast', change);
  expect(change.moves.length).toBeLessThanOrEqual(1);
  expect(bed.holders()).toHaveLength(1);
}, 240_000);

test('a monitor that is started anew without the file goes on with what was agreed', async () => {
  await scene.rested();
  for (const node of scene.members) rmSync(node.at('monitor.conf'));
  const told = () => scene.members.every((node) => eventsOf(node).includes('agreement-gone'));
  await waitFor('the missing files to be told', told, 30_000);
  for (const node of scene.members) {
    const monitors = node
      .processes()
      .filter(({ argv }) => argv.includes('keepalived') && argv.includes('monitor'))
      .map(({ id }) => id);
    expect(monitors).toHaveLength(1);
    sendSignal(monitors, 'SIGTERM');
    await waitForEnd(monitors);
    await scene.stack.start(node);
    await waitFor('it to remember', () => eventsOf(node).includes('profile-as-before'), 30_000);
  }
  await scene.rested();
  for (const node of scene.members)
    expect(speaksUnicast(readFileSync(node.at('keepalived.conf'), 'utf8'))).toBe(true);
}, 240_000);

test.each([
  ['shorter', '500ms', 'advert_int 0.5\n'],
  ['longer', '2s', 'advert_int 2\n'],
  ['much shorter', '20ms', 'advert_int 0.02\n'],
])(
  'a %s advert interval comes to all nodes at one agreed time, and the VIP stays',
  async (_how, interval, line) => {
    const { bed, client, members } = scene;
    await scene.rested();
    const words = `advertInterval: ${interval}`;
    const change = await changeAtOnce({ bed, client, nodes: members }, words, (text) => text.includes(line));
    console.info(words, change);
    expect(change.moves).toEqual([]);
    expect(bed.holders()).toHaveLength(1);
  },
  240_000,
);
