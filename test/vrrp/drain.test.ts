import { writeFileSync } from 'node:fs';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { monotonicMs } from '../../src/engine/system/time/monotonic-clock.ts';
import type { Scene } from '../bench/failover/scene.ts';
import { lostSince, movesSince, REQUEST_TIMEOUT_MS } from '../e2e/helpers/client-losses.ts';
import type { BedNode } from '../helpers/vrrp/bed-node.ts';
import { sendSignal, waitForEnd } from '../helpers/vrrp/bed-process.ts';
import { takesPart } from '../helpers/vrrp/hawser.ts';
import { takeOvers } from '../helpers/vrrp/holdings.ts';
import { logFromNow } from '../helpers/vrrp/node-log.ts';
import { hasOrder, ordersOf, typed, vipPriority } from '../helpers/vrrp/typed.ts';
import { waitFor } from '../helpers/wait-for.ts';
import { heldByAnother, keepalivedMonitor, openVipWorld } from './vip-world.ts';

const PATIENCE_MS = 90_000;

let scene: Scene;
beforeAll(async () => {
  // The client waits for answers, as API clients do: only what is cut is lost.
  scene = await openVipWorld('IPv4', { clientTimeoutMs: REQUEST_TIMEOUT_MS });
}, 120_000);
afterAll(() => scene?.[Symbol.asyncDispose]());
beforeEach(() => scene.members.every((node) => !hasOrder(node)) || expect.fail('an order is left'));

const takenSince = (fromMs: number) =>
  takeOvers(scene.bed.events(), fromMs, monotonicMs()).map(({ node }) => node);
const worthOf = async (node: BedNode) => (await vipPriority(node)).value;
const others = (node: BedNode) => scene.members.filter((each) => each !== node);

test('a drain moves the VIP, loses only requests during the move, survives the monitor, and moves nothing when it ends', async () => {
  const holder = await scene.rested();
  const fromMs = monotonicMs();
  const drained = await typed(holder, 'drain', '--reason', 'kernel 6.18', '--json');
  expect(drained).toMatchObject({ exitCode: 0, report: { command: 'drain', outcome: 'done' } });
  const next = await heldByAnother(scene, [holder]);
  expect(drained.report?.['vips']).toEqual([
    { kind: 'api', vip: scene.bed.vip, holder: `${next.name} (${next.address})`, here: false },
  ]);
  await waitFor('it to be worth less than a doubtful one', async () => (await worthOf(holder)) === -120);
  const { order, priorityTerms } = await vipPriority(holder);
  expect(order).toMatch(/^drained by \S+ since 20\S+Z: kernel 6\.18$/);
  expect(priorityTerms.at(-1)).toEqual({ points: -120, why: 'it is drained' });
  const page = await holder.namespace.run('curl', '-s', 'http://127.0.0.1:29447/metrics');
  expect(page).toContain('hawser_drained{kind="api"} 1');

  const log = logFromNow(holder, 'keepalived-monitor');
  const before = keepalivedMonitor(holder);
  sendSignal(before, 'SIGKILL');
  await waitForEnd(before);
  await scene.stack.start(holder);
  const told = () => log.lines().filter(({ event }) => event === 'track-value-changed');
  await waitFor('the new one to speak', () => told().length > 0, PATIENCE_MS);
  expect(told()[0]).toMatchObject({ value: -120 });
  expect(await typed(holder, 'drain')).toMatchObject({
    exitCode: 0,
    text: expect.stringContaining('already'),
  });

  expect(await typed(holder, 'undrain', '--json')).toMatchObject({
    exitCode: 0,
    report: { outcome: 'done' },
  });
  await waitFor('it to be worth as much as before', async () => (await worthOf(holder)) === 0);
  expect(await scene.rested()).toBe(next);
  expect(takenSince(fromMs)).toEqual([next.name]);
  expect(await lostSince(scene.client, fromMs, movesSince(scene.bed.events(), fromMs))).toEqual([]);
}, 300_000);

test('a drained node holds the VIP while all others are dead; the only live node is drained only with --force', async () => {
  const holder = await scene.rested();
  const [drained, dead] = others(holder);
  if (drained === undefined || dead === undefined) throw new Error('no other node');
  expect(await typed(drained, 'drain')).toMatchObject({ exitCode: 0 });
  await scene.bed.powerOff(dead);
  expect(await scene.rested()).toBe(holder);
  await scene.bed.powerOff(holder);
  await waitFor('the drained one to hold it', () => scene.bed.holders()[0] === drained, PATIENCE_MS);
  await waitFor('it to have its bonus', async () => (await worthOf(drained)) === -90, PATIENCE_MS);

  expect(await typed(drained, 'undrain')).toMatchObject({ exitCode: 0 });
  await waitFor('no other node to be heard', async () => !(await peersServe(drained)), PATIENCE_MS);
  const refused = await typed(drained, 'drain', '--json');
  expect(refused).toMatchObject({ exitCode: 1, report: { outcome: 'refused' } });
  expect(String(refused.report?.['notes'])).toContain('no other node reports that it could serve');
  expect(hasOrder(drained)).toBe(false);
  const meant = await typed(drained, 'drain', '--force', '--timeout', '1s', '--json');
  expect(meant).toMatchObject({ exitCode: 1, report: { outcome: 'not-done', vips: [{ here: true }] } });
  expect(await worthOf(drained)).toBe(-90);

  for (const node of [holder, dead]) await scene.bed.powerOn(node);
  for (const node of [holder, dead]) await scene.bootNode(node);
  const next = await heldByAnother(scene, [drained]);
  for (const node of scene.members)
    await waitFor(`${node.name} to take part`, () => takesPart(node), PATIENCE_MS);
  expect(await typed(drained, 'undrain')).toMatchObject({ exitCode: 0 });
  expect(await scene.rested()).toBe(next);
}, 400_000);

test('a drain while every other node is drained moves nothing, and says so', async () => {
  const holder = await scene.rested();
  for (const node of others(holder)) expect(await typed(node, 'drain')).toMatchObject({ exitCode: 0 });
  const last = await typed(holder, 'drain', '--timeout', '1s', '--json');
  expect(last).toMatchObject({ exitCode: 1, report: { outcome: 'not-done', vips: [{ here: true }] } });
  expect(String(last.report?.['notes'])).toContain('no node that is healthy and not drained took over');
  // The holder first: otherwise the VIP goes to the first node that is no longer drained.
  for (const node of [holder, ...others(holder)])
    expect(await typed(node, 'undrain')).toMatchObject({ exitCode: 0 });
  expect(await scene.rested()).toBe(holder);
}, 300_000);

async function peersServe(node: BedNode): Promise<boolean> {
  const { checks } = await vipPriority(node);
  return checks.some(({ check, state }) => check === 'other nodes' && state === 'ok');
}

test('a truncated order is reported once and moves nothing, and undrain removes it', async () => {
  const holder = await scene.rested();
  const fromMs = monotonicMs();
  const log = logFromNow(holder, 'keepalived-monitor');
  writeFileSync(ordersOf(holder), '{"v":1,"order":"drain","vips":["api"');
  const told = () => log.lines().filter(({ event }) => event === 'invalid-vip-order');
  await waitFor('it to be reported', () => told().length > 0, PATIENCE_MS);
  const refused = await typed(holder, 'drain');
  expect(refused).toMatchObject({ exitCode: 1, text: expect.stringContaining('invalid JSON') });
  expect(await typed(holder, 'undrain')).toMatchObject({ exitCode: 0 });
  expect(await scene.rested()).toBe(holder);
  expect(told()).toHaveLength(1);
  expect(takenSince(fromMs)).toEqual([]);
}, 200_000);
