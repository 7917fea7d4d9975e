import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { request } from '../../src/engine/control/request.ts';
import { monotonicMs } from '../../src/engine/system/time/monotonic-clock.ts';
import { keepalivedKill } from '../bench/failover/faults.ts';
import type { Scene } from '../bench/failover/scene.ts';
import { sendSignal, waitForEnd } from '../helpers/vrrp/bed-process.ts';
import { takesPart } from '../helpers/vrrp/hawser.ts';
import { takeOvers } from '../helpers/vrrp/holdings.ts';
import { logFromNow } from '../helpers/vrrp/node-log.ts';
import { probesWithin } from '../helpers/vrrp/probes.ts';
import { waitFor } from '../helpers/wait-for.ts';
import { haproxyGone, haproxyPod, heldByAnother, keepalivedMonitor, openVipWorld } from './vip-world.ts';

let scene: Scene;
beforeAll(async () => {
  scene = await openVipWorld();
}, 120_000);
afterAll(() => scene?.[Symbol.asyncDispose]());

const movesSince = (fromMs: number) =>
  takeOvers(scene.bed.events(), fromMs, monotonicMs()).map(({ node }) => node);

test('repeated reloads of keepalived cost the holder neither the VIP nor its bonus', async () => {
  const holder = await scene.rested();
  const fromMs = monotonicMs();
  const monitor = logFromNow(holder, 'keepalived-monitor');
  for (let round = 0; round < 25; round += 1) {
    const socket = join(holder.runDir, 'keepalived.sock');
    const outcome = await request(socket, 'reload', { timeoutMs: 20_000 });
    expect(outcome).toMatchObject({ kind: 'answered', answer: { ok: true } });
  }
  expect(movesSince(fromMs)).toEqual([]);
  expect(monitor.lines().filter(({ event }) => event === 'track-value-changed')).toEqual([]);
}, 240_000);

test('a monitor restart on the holder moves nothing', async () => {
  const holder = await scene.rested();
  const fromMs = monotonicMs();
  const log = logFromNow(holder, 'keepalived-monitor');
  const before = keepalivedMonitor(holder);
  sendSignal(before, 'SIGTERM');
  await waitForEnd(before);
  await scene.stack.start(holder);
  const told = () => log.lines().filter(({ event }) => event === 'track-value-changed');
  await waitFor('the new one to speak', () => told().length > 0);
  expect(await scene.rested()).toBe(holder);
  expect(movesSince(fromMs)).toEqual([]);
  expect(told()).toMatchObject([{ value: 30 }]);
}, 240_000);

test.each([
  ['dies', 'SIGKILL'],
  ['hangs', 'SIGSTOP'],
] as const)(
  'if the monitor of the holder %s, the VIP stays until HAProxy stops serving, and then stays on the next holder',
  async (_how, signal) => {
    const troubled = await scene.rested();
    const supervisor = logFromNow(troubled, 'keepalived');
    const heard = (event: string) => supervisor.lines().some((line) => line.event === event);
    const troubledMs = monotonicMs();
    sendSignal(keepalivedMonitor(troubled), signal);
    await waitFor('the monitor to be missed', () => heard('monitor-silent'));
    expect(await scene.rested()).toBe(troubled);
    expect(movesSince(troubledMs)).toEqual([]);
    expect(heard('node-demoted')).toBe(false);

    await haproxyGone.inject(scene, troubled);
    const next = await heldByAnother(scene, [troubled]);
    expect(heard('node-demoted')).toBe(true);
    const log = logFromNow(troubled, 'keepalived-monitor');
    sendSignal(keepalivedMonitor(troubled), 'SIGCONT');
    await scene.stack.start(troubled);
    await waitFor('it to report a healthy node again', () =>
      log.lines().some(({ event, value }) => event === 'track-value-changed' && value === 0),
    );
    const fromMs = monotonicMs();
    expect(await scene.rested()).toBe(next);
    expect(movesSince(fromMs)).toEqual([]);
  },
  240_000,
);

test('a holder whose haproxy pod is terminated hands over the VIP before any connection is refused', async () => {
  const holder = await scene.rested();
  const fromMs = monotonicMs();
  const pod = haproxyPod(holder);
  sendSignal(pod, 'SIGTERM');
  await heldByAnother(scene, [holder]);
  await waitForEnd(pod, 90_000);
  const refused = scene.client.probes().filter((probe) => probe.reason === 'ECONNREFUSED');
  expect(probesWithin(refused, fromMs, monotonicMs())).toEqual([]);
  await scene.stack.start(holder);
  await waitFor(`${holder.name} to be fit again`, () => takesPart(holder));
}, 240_000);

test('a killed keepalived leaves no VIP behind, and its supervisor restarts it as a backup', async () => {
  const troubled = await scene.rested();
  const log = logFromNow(troubled, 'keepalived');
  await keepalivedKill.inject(scene, troubled);
  const events = () => log.lines().map(({ event }) => event);
  await waitFor('the restart', () => events().includes('keepalived-started'));
  const next = await heldByAnother(scene, [troubled]);
  await waitFor(`${troubled.name} to be fit again`, () => takesPart(troubled));
  expect(await scene.rested()).toBe(next);
  const order = ['keepalived-died', 'stale-vip-removed', 'keepalived-started'];
  expect(events().filter((event) => order.includes(event))).toEqual(order);
}, 240_000);
