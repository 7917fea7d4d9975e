import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { monotonicMs } from '../../src/engine/system/time/monotonic-clock.ts';
import { openScene, type Scene } from '../bench/failover/scene.ts';
import { ensureBuilt } from '../helpers/supervisor-build.ts';
import { sendSignal, waitForEnd } from '../helpers/vrrp/bed-process.ts';
import { takeOvers } from '../helpers/vrrp/holdings.ts';
import { waitFor } from '../helpers/wait-for.ts';
import { type AgreedChange, changeAtOnce, eventsOf } from './agreed-change.ts';

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

/** From one agreement to the next. Where a repeated test finds the next already, it goes back first. */
async function change(
  before: string,
  after: string,
  isChanged: (configuration: string) => boolean,
): Promise<AgreedChange> {
  const world = { bed: scene.bed, client: scene.client, nodes: scene.members };
  await scene.rested();
  if (scene.members.some((node) => isChanged(readFileSync(node.at('keepalived.conf'), 'utf8')))) {
    await changeAtOnce(world, before, (configuration) => !isChanged(configuration));
    await scene.rested();
  }
  const met = await changeAtOnce(world, after, isChanged);
  console.info(after, met);
  return met;
}

test('multicast becomes unicast on all nodes at one agreed time, and one of them holds the VIP', async () => {
  const { moves } = await change('mode: multicast', 'mode: unicast', speaksUnicast);
  // One failover: where two backups have waited equally long, both take it, and one of them leaves it at once.
  expect(moves.length).toBeLessThanOrEqual(2);
  expect(scene.bed.holders()).toHaveLength(1);
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
  ['shorter', '3s', '500ms', 'advert_int 0.5\n'],
  ['longer', '500ms', '2s', 'advert_int 2\n'],
  ['much shorter', '2s', '20ms', 'advert_int 0.02\n'],
])(
  'a %s advert interval comes to all nodes at one agreed time, and the VIP stays',
  async (_how, before, after, line) => {
    const [from, to] = [`advertInterval: ${before}`, `advertInterval: ${after}`];
    const { moves } = await change(from, to, (configuration) => configuration.includes(line));
    expect(moves).toEqual([]);
    expect(scene.bed.holders()).toHaveLength(1);
  },
  240_000,
);
