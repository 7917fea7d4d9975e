import { expect, test } from 'vitest';
import { createMetricsRegistry } from '../../../../src/engine/observe/metrics-registry.ts';
import { createOnce } from '../../../../src/engine/observe/once.ts';
import type { LogEvent } from '../../../../src/engine/system/log.ts';
import { monotonicMs } from '../../../../src/engine/system/time/monotonic-clock.ts';
import type { WatchedInstance } from '../../../../src/keepalived/vip-presence.ts';
import type { KeepalivedModel } from '../../../../src/vip/group/vrrp.ts';
import type { ForeignAdvert } from '../../../../src/vip/segment/foreign-router.ts';
import { createRouterIdGuard } from '../../../../src/vip/segment/router-id-guard.ts';
import { createKeepalivedMonitorMetrics } from '../../../../src/vip/settings/keepalived-monitor-metrics.ts';

const model = {
  instances: [
    {
      name: 'API',
      virtualRouterId: 77,
      family: 'ipv4',
      interface: 'eth0',
      vip: '10.0.0.5',
      sourceAddress: '10.0.0.1',
      peers: [],
    },
  ],
} as unknown as KeepalivedModel;
const foreign: ForeignAdvert = {
  virtualRouterId: 77,
  family: 'ipv4',
  source: '10.0.0.9',
  version: 3,
  priority: 5,
  vip: '10.0.0.250',
};

function open(isForced = false, isAdmitted = false, configured: readonly WatchedInstance[] = []) {
  const logged: LogEvent[] = [];
  const metrics = createKeepalivedMonitorMetrics(() => 0, createMetricsRegistry());
  const observers = { metrics, once: createOnce(), log: (event: LogEvent) => void logged.push(event) };
  let wakes = 0;
  const wake = () => {
    wakes += 1;
  };
  const parts = { clusterName: 'one', configured, isAdmitted: () => isAdmitted, wake };
  const guard = createRouterIdGuard({ forceVirtualRouterId: isForced }, parts, observers);
  return { guard, metrics, events: () => logged.map(({ event }) => event), wakes: () => wakes };
}

const longAgoMs = () => monotonicMs() - 3_200;
/** A round of the current attempt. */
const hear = ({ guard }: ReturnType<typeof open>, heard: readonly ForeignAdvert[], sinceMs: number) =>
  guard.hear({ listenedFor: guard.watched(), foreign: heard, sinceMs });

test('a node listens at once, and its router id is free after 3.2 s without a foreign advert', () => {
  const opened = open();
  const { guard, wakes } = opened;
  expect(guard.fact()).toEqual({ kind: 'free' });
  guard.prepare(model);
  expect(wakes()).toBe(1);
  expect(guard.watched()).toHaveLength(1);
  expect(guard.fact()).toMatchObject({ kind: 'listening' });
  hear(opened, [], monotonicMs());
  expect(guard.fact()).toMatchObject({ kind: 'listening' });
  hear(opened, [], longAgoMs());
  expect(guard.fact()).toEqual({ kind: 'free' });
  expect(guard.watched()).toEqual([]);
});

const before = (virtualRouterId: number, address: string): readonly WatchedInstance[] => [
  {
    name: 'API',
    virtualRouterId,
    peers: [],
    vips: [{ address, prefixLength: 32, interface: 'eth0' }],
    masterDownMs: 300,
  },
];

test.each([
  ['had the ids', 'free', before(77, '10.0.0.5')],
  ['had another id', 'listening', before(78, '10.0.0.5')],
  ['had another VIP', 'listening', before(77, '10.0.0.6')],
])(
  'a node whose keepalived.conf %s when its monitor started is %s after 1.2 s',
  (_what, expected, configured) => {
    const opened = open(false, false, configured);
    opened.guard.prepare(model);
    hear(opened, [], monotonicMs() - 1_100);
    expect(opened.guard.fact()).toMatchObject({ kind: 'listening' });
    hear(opened, [], monotonicMs() - 1_200);
    expect(opened.guard.fact()).toMatchObject({ kind: expected });
  },
);

test('an advert of any round is a conflict, and the guard does not listen again at once', () => {
  const opened = open();
  const { guard, events } = opened;
  guard.prepare(model);
  hear(opened, [foreign], monotonicMs());
  hear(opened, [], longAgoMs());
  expect(guard.fact()).toEqual({ kind: 'conflict' });
  expect(guard.conflict()).toContain('10.0.0.9 advertises 10.0.0.250 with it');
  expect(events()).toEqual(['virtual-router-id-taken']);
  guard.prepare(model);
  expect(guard.watched()).toEqual([]);
});

test('the conflict of a node that is removed is over', () => {
  const opened = open();
  const { guard, metrics } = opened;
  guard.prepare(model);
  hear(opened, [foreign], longAgoMs());
  expect(metrics.text()).toContain('hawser_virtual_router_id_taken 1');
  guard.prepare(undefined);
  expect([guard.conflict(), guard.fact(), guard.watched()]).toEqual([null, { kind: 'free' }, []]);
  expect(metrics.text()).toContain('hawser_virtual_router_id_taken 0');
});

test('a failure to listen keeps no node out', () => {
  const { guard, events } = open();
  guard.prepare(model);
  guard.fail(guard.watched(), 'no nft');
  expect(guard.fact()).toEqual({ kind: 'free' });
  expect(events()).toEqual(['virtual-router-id-not-checked']);
});

test('a round that began before the attempt, and listened for nothing, decides nothing', () => {
  const { guard, events } = open();
  guard.prepare(model);
  guard.hear({ listenedFor: [], foreign: [], sinceMs: longAgoMs() });
  guard.fail([], 'no nft');
  expect(guard.fact()).toMatchObject({ kind: 'listening' });
  expect(events()).toEqual([]);
});

test.each([
  ['forced', true, false],
  ['admitted', false, true],
])('a node that is %s does not listen', (_what, isForced, isAdmitted) => {
  const { guard } = open(isForced, isAdmitted);
  guard.prepare(model);
  expect(guard.watched()).toEqual([]);
  expect(guard.fact()).toEqual({ kind: 'free' });
});
