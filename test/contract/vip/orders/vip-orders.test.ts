import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { createMetricsRegistry } from '../../../../src/engine/observe/metrics-registry.ts';
import { createOnce } from '../../../../src/engine/observe/once.ts';
import type { LogEvent } from '../../../../src/engine/system/log.ts';
import { isoTime } from '../../../../src/engine/system/time/iso-time.ts';
import {
  orderFileText,
  placeOrder,
  removeOrder,
  replaceOrder,
} from '../../../../src/vip/orders/order-file.ts';
import type { MoveOrder, VipOrder } from '../../../../src/vip/orders/vip-order.ts';
import { createVipOrders } from '../../../../src/vip/orders/vip-orders.ts';
import { createKeepalivedMonitorMetrics } from '../../../../src/vip/settings/keepalived-monitor-metrics.ts';
import { testFolder } from '../../../helpers/test-folder.ts';
import { waitFor } from '../../../helpers/wait-for.ts';

let dir: string;
let path: string;
let logged: LogEvent[];
let metrics: ReturnType<typeof createKeepalivedMonitorMetrics>;
beforeEach(() => {
  dir = testFolder();
  path = join(dir, 'vrrp-steering.json');
  logged = [];
  metrics = createKeepalivedMonitorMetrics(() => 0, createMetricsRegistry());
});
const keeper = () =>
  createVipOrders(path, ['api'], {
    metrics,
    once: createOnce(),
    log: (event) => void logged.push(event),
  });
const events = () => logged.map(({ event }) => event);
const asked = (id: string) =>
  ({ v: 1, id: id.repeat(16), by: 'root@cp-1', why: 'test', at: isoTime(Date.now()) }) as const;
const drain = (id = 'a'): VipOrder => ({ order: 'drain', ...asked(id), vips: ['api'] });
const move = (part: Partial<MoveOrder> = {}): MoveOrder => ({
  order: 'move-vip',
  ...asked('b'),
  vip: 'api',
  first: 'demote',
  until: isoTime(Date.now() + 60_000),
  ...part,
});

test('an order applies from when it is read, even for a later monitor, until it is removed', async () => {
  const first = keeper();
  await first.read();
  expect(first.effect('api', true)).toBe('none');
  let told = 0;
  first.onChange(() => {
    told += 1;
  });
  expect(await placeOrder(path, drain())).toBe(true);
  await first.read();
  expect(told).toBe(1);
  const restarted = keeper();
  await restarted.read();
  for (const each of [first, restarted]) {
    expect(each.effect('api', true)).toBe('drain');
    expect(each.effect('ingress', true)).toBe('none');
    expect(each.text('api')).toMatch(/^drained by root@cp-1 since 20.*: test$/);
  }
  expect(metrics.text()).toContain('hawser_drained{kind="api"} 1');
  await removeOrder(path, 'a'.repeat(16));
  await first.read();
  expect(first.effect('api', true)).toBe('none');
  expect(metrics.text()).toContain('hawser_drained{kind="api"} 0');
  expect(events()).toEqual(['node-drained', 'node-drained', 'node-undrained']);
});

test('a drain of both VIPs stays in force on a node that no longer has one of them', async () => {
  const orders = keeper();
  await placeOrder(path, { ...drain(), vips: ['api', 'ingress'] } as VipOrder);
  await orders.read();
  expect(orders.effect('api', true)).toBe('drain');
  expect(events()).toEqual(['node-drained']);
});

test('a finished order is removed, and does not begin again if it cannot be removed', async () => {
  const orders = keeper();
  await placeOrder(path, move({ until: isoTime(Date.now()) }));
  await orders.read();
  expect(orders.effect('api', true)).toBe('none');
  await waitFor('the file to be gone', () => !existsSync(path));
  writeFileSync(path, orderFileText(move({ until: isoTime(Date.now() + 60_000) })));
  await orders.read();
  expect(orders.effect('api', true)).toBe('none');
  expect(events()).toEqual(['move-vip-began', 'move-vip-ended']);
  expect(logged.at(-1)).toMatchObject({ kind: 'api', outcome: 'not-moved' });
});

test('a newer order replaces the previous one, and a withdrawn order is over', async () => {
  const orders = keeper();
  await placeOrder(path, move());
  await orders.read();
  expect(await placeOrder(path, drain())).toBe(false);
  expect(await replaceOrder(path, 'f'.repeat(16), drain())).toBe(false);
  expect(await replaceOrder(path, move().id, drain('c'))).toBe(true);
  await removeOrder(path, move().id);
  await orders.read();
  expect(orders.effect('api', true)).toBe('drain');
  rmSync(path);
  await placeOrder(path, move({ id: 'd'.repeat(16) }));
  await orders.read();
  rmSync(path);
  await orders.read();
  expect(orders.effect('api', true)).toBe('none');
  expect(logged.map(({ event, outcome }) => [event, outcome].join(' ').trim())).toEqual([
    'move-vip-began',
    'move-vip-ended replaced',
    'node-drained',
    'node-undrained replaced',
    'move-vip-began',
    'move-vip-ended withdrawn',
  ]);
});

const whole = () => orderFileText(drain('9'));
test.each<[string, () => void]>([
  ['half an order', () => writeFileSync(path, whole().slice(0, 40))],
  ['an empty file', () => writeFileSync(path, '')],
  ['a large file', () => writeFileSync(path, `${' '.repeat(10_000)}${whole()}`)],
  ['a folder', () => mkdirSync(path)],
  ['a pipe without a writer', () => void execFileSync('mkfifo', [path])],
  [
    'a link to an order',
    () => {
      writeFileSync(join(dir, 'real'), whole());
      symlinkSync(join(dir, 'real'), path);
    },
  ],
  ['bytes', () => writeFileSync(path, Buffer.from([0xff, 0xfe, 0, 1, 2]))],
  [
    'an order about a VIP that this node does not have',
    () => writeFileSync(path, whole().replace('"api"', '"ingress"')),
  ],
])('%s is reported once and changes nothing, not even an earlier order', async (_, make) => {
  const fresh = keeper();
  make();
  for (const _round of [1, 2]) await fresh.read();
  expect(fresh.effect('api', true)).toBe('none');
  expect(fresh.effect('ingress', true)).toBe('none');
  expect(events()).toEqual(['invalid-vip-order']);
  expect(String(logged[0]?.['message'])).toMatch(/^Cannot use "|expected/);

  rmSync(path, { recursive: true });
  await fresh.read();
  const drained = keeper();
  await placeOrder(path, drain('a'));
  await drained.read();
  rmSync(path);
  make();
  await drained.read();
  expect(drained.effect('api', true)).toBe('drain');
  expect(events()).toEqual(['invalid-vip-order', 'valid-vip-order', 'node-drained', 'invalid-vip-order']);
});
