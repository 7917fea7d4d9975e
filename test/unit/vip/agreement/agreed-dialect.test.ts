import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createMetricsRegistry } from '../../../../src/engine/observe/metrics-registry.ts';
import { createOnce } from '../../../../src/engine/observe/once.ts';
import type { LogEvent } from '../../../../src/engine/system/log.ts';
import { createAgreedDialect, type TakingPart } from '../../../../src/vip/agreement/agreed-dialect.ts';
import { createKeepalivedMonitorMetrics } from '../../../../src/vip/settings/keepalived-monitor-metrics.ts';

let dir: string;
let log: LogEvent[];
let metrics: ReturnType<typeof createKeepalivedMonitorMetrics>;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'hwkv-'));
  log = [];
  metrics = createKeepalivedMonitorMetrics(() => 0, createMetricsRegistry());
});
afterEach(() => rmSync(dir, { recursive: true }));

const hour = 3_600_000;
const inMs = (ms: number): string => new Date(Date.now() + ms).toISOString();
const push = (name: 'monitor.conf' | 'monitor-user.conf', text: string) =>
  writeFileSync(join(dir, name), text);
const events = () => log.map(({ event }) => event);

function startMonitor(profile: 'fast' | 'openshift' = 'openshift', advertInterval?: number) {
  const monitorConf = [join(dir, 'monitor-user.conf'), join(dir, 'monitor.conf')];
  const observers = { log: (event: LogEvent) => void log.push(event), metrics, once: createOnce() };
  return createAgreedDialect(
    { profile, mode: 'unicast', advertInterval, monitorConf, config: join(dir, 'keepalived.conf') },
    observers,
  );
}

const holder: TakingPart = { isHolder: true, refusal: async () => undefined };

test('before the time the flags count, and what is planned is told once and shown', async () => {
  push('monitor.conf', `profile: fast\nat: ${inMs(hour)}\n`);
  const dialect = startMonitor();
  expect(await dialect.switchIfDue(undefined)).toMatchObject({ changed: false });
  const { lookAgainInMs } = await dialect.switchIfDue(holder);
  expect(lookAgainInMs).toBeGreaterThan(hour - 60_000);
  expect(dialect.now().profile).toBe('openshift');
  expect(events()).toEqual(['profile-change-planned']);
  expect(metrics.text()).toMatch(/hawser_profile_change_timestamp_seconds 1[0-9.]+e?/);
});

test('a node that comes up after the time begins with what was agreed', async () => {
  push('monitor.conf', `profile: fast\nat: ${inMs(-hour)}\n`);
  const dialect = startMonitor();
  expect(await dialect.switchIfDue(undefined)).toEqual({ changed: false, lookAgainInMs: undefined });
  expect(dialect.now().profile).toBe('fast');
});

test('a file of the user outranks the other one, and a broken one does not give way to it', async () => {
  push('monitor.conf', `profile: fast\nat: ${inMs(-hour)}\n`);
  push('monitor-user.conf', 'profile: fats\n');
  const dialect = startMonitor();
  await dialect.switchIfDue(undefined);
  expect(dialect.now().profile).toBe('openshift');
  expect(log).toEqual([
    expect.objectContaining({ event: 'agreement-unusable', path: join(dir, 'monitor-user.conf') }),
  ]);
  expect(metrics.text()).toContain('hawser_agreement_unusable 1');
  await dialect.switchIfDue(undefined);
  expect(log).toHaveLength(1);
});

test.each([
  ['half-written', 'profile: fast\nat'],
  ['empty', ''],
  ['huge', 'x'.repeat(100_000)],
])('a file that turns %s does not call off what was planned', async (_how, text) => {
  push('monitor.conf', `profile: fast\nat: ${inMs(hour)}\n`);
  const dialect = startMonitor();
  await dialect.switchIfDue(undefined);
  push('monitor.conf', text);
  expect((await dialect.switchIfDue(holder)).lookAgainInMs).toBeGreaterThan(0);
  expect(events()).toEqual(['profile-change-planned', 'agreement-unusable']);
});

test('a file that is taken away calls off what was planned', async () => {
  push('monitor.conf', `profile: fast\nat: ${inMs(hour)}\n`);
  const dialect = startMonitor();
  await dialect.switchIfDue(undefined);
  rmSync(join(dir, 'monitor.conf'));
  await dialect.switchIfDue(holder);
  expect(events()).toEqual(['profile-change-planned', 'agreement-gone', 'profile-change-cancelled']);
});

test('what keepalived would refuse is told before the time, and nothing changes at it', async () => {
  const refused: TakingPart = { ...holder, refusal: async () => 'Unknown keyword' };
  const dialect = startMonitor();
  await dialect.switchIfDue(undefined);
  push('monitor.conf', `profile: fast\nat: ${inMs(hour)}\n`);
  await dialect.switchIfDue(refused);
  push('monitor.conf', `profile: fast\nat: ${inMs(-hour)}\n`);
  expect(await dialect.switchIfDue(refused)).toMatchObject({ changed: false });
  expect(dialect.now().profile).toBe('openshift');
  expect(log[0]).toMatchObject({
    event: 'profile-change-refused',
    level: 'error',
    message: 'Unknown keyword',
  });
  expect(metrics.text()).toContain('hawser_profile_change_refused 1');
  expect(await dialect.switchIfDue(holder)).toMatchObject({ changed: true });
});

test('at the time a holder changes, and a backup one old advert later', async () => {
  const dialect = startMonitor();
  await dialect.switchIfDue(undefined);
  push('monitor.conf', `profile: fast\nat: ${inMs(hour)}\n`);
  const [first, second] = [holder, { ...holder, isHolder: false }];
  const firstMs = (await dialect.switchIfDue(first)).lookAgainInMs ?? 0;
  const secondMs = (await dialect.switchIfDue(second)).lookAgainInMs ?? 0;
  expect(secondMs - firstMs).toBeGreaterThan(500);
  push('monitor.conf', `profile: fast\nat: ${inMs(-hour)}\n`);
  expect(await dialect.switchIfDue(second)).toMatchObject({ changed: true });
  expect(dialect.now()).toMatchObject({ profile: 'fast', mode: 'unicast' });
});

test('a monitor started anew without a usable file goes on with what was agreed, unless its flags are others', async () => {
  push('monitor.conf', `profile: fast\nat: ${inMs(-hour)}\n`);
  await startMonitor().switchIfDue(undefined);
  push('monitor.conf', 'profile: ');
  expect(startMonitor().now().profile).toBe('fast');
  const other = startMonitor('fast');
  await other.switchIfDue(undefined);
  expect(startMonitor('openshift').now().profile).toBe('openshift');
});

test('a file without a time is not acted upon at once by a node that takes part', async () => {
  const dialect = startMonitor();
  await dialect.switchIfDue(undefined);
  push('monitor.conf', 'mode: multicast\n');
  expect((await dialect.switchIfDue(holder)).lookAgainInMs).toBeGreaterThanOrEqual(299_000);
  expect(dialect.now().mode).toBe('unicast');
});

/** What a monitor has left that did not yet note the interval. */
const noteEarlier = (profile: 'fast' | 'openshift') => {
  const dialect = { profile, mode: 'unicast' };
  writeFileSync(join(dir, 'keepalived.conf.agreed'), JSON.stringify({ flags: dialect, dialect }));
};
const intervalOf = async (monitor: ReturnType<typeof startMonitor>): Promise<number> => {
  await monitor.switchIfDue(holder);
  return monitor.now().advertIntervalMs;
};

test('a node of a group that sends every 100 ms goes on with that after an upgrade, and a new node begins with 20 ms', async () => {
  expect(await intervalOf(startMonitor('fast'))).toBe(20);
  noteEarlier('fast');
  expect(await intervalOf(startMonitor('fast'))).toBe(100);
  expect(await intervalOf(startMonitor('fast'))).toBe(100);
});

test('an interval that is given counts, and one that is no longer given stays what it was agreed to be', async () => {
  noteEarlier('fast');
  expect(await intervalOf(startMonitor('fast', 500))).toBe(500);
  push('monitor.conf', `advertInterval: 250ms\nat: ${inMs(-hour)}\n`);
  expect(await intervalOf(startMonitor('fast', 500))).toBe(250);
  rmSync(join(dir, 'monitor.conf'));
  expect(await intervalOf(startMonitor('fast', 500))).toBe(250);
  expect(await intervalOf(startMonitor('fast'))).toBe(250);
  expect(await intervalOf(startMonitor('fast', 200))).toBe(200);
});

test('an upgrade forgets no agreed profile, whatever interval is given', async () => {
  const record = {
    flags: { profile: 'openshift', mode: 'unicast' },
    dialect: { profile: 'fast', mode: 'unicast' },
  };
  writeFileSync(join(dir, 'keepalived.conf.agreed'), JSON.stringify(record));
  expect(startMonitor('openshift', 500).now()).toEqual({
    profile: 'fast',
    mode: 'unicast',
    advertIntervalMs: 500,
  });
  expect(startMonitor('openshift').now()).toEqual({
    profile: 'fast',
    mode: 'unicast',
    advertIntervalMs: 100,
  });
});

test('a holder with a long interval comes to a short one by way of 100 ms, and a backup at once', async () => {
  const backup = { ...holder, isHolder: false };
  for (const [part, steps] of [
    [holder, [100, 20]],
    [backup, [20]],
  ] as const) {
    rmSync(join(dir, 'keepalived.conf.agreed'), { force: true });
    const monitor = startMonitor('fast', 1_000);
    await monitor.switchIfDue(undefined);
    push('monitor.conf', `advertInterval: 20ms\nat: ${inMs(-hour)}\n`);
    for (const step of steps) {
      expect(await monitor.switchIfDue(part)).toMatchObject({ changed: true });
      expect(monitor.now().advertIntervalMs).toBe(step);
    }
    expect(await monitor.switchIfDue(part)).toMatchObject({ changed: false });
    rmSync(join(dir, 'monitor.conf'));
  }
});

test('the interval is a label of the dialect, and in openshift it is a second', async () => {
  await startMonitor('fast').switchIfDue(holder);
  expect(metrics.text()).toContain('{profile="fast",mode="unicast",advert_interval="20ms"} 1');
  await startMonitor('openshift').switchIfDue(holder);
  expect(metrics.text()).toContain('{profile="openshift",mode="unicast",advert_interval="1000ms"} 1');
});

test('a node that is new to its group begins with the agreed interval, whatever its own settings are', async () => {
  push('monitor.conf', `advertInterval: 20ms\nat: ${inMs(-hour)}\n`);
  const monitor = startMonitor('fast', 1_000);
  await monitor.switchIfDue(undefined);
  expect(monitor.now().advertIntervalMs).toBe(20);
});

test('the nodes of an openshift group become fast with one interval, upgraded or new', async () => {
  push('monitor.conf', `profile: fast\nat: ${inMs(-hour)}\n`);
  expect(await intervalOf(startMonitor('openshift'))).toBe(20);
  noteEarlier('openshift');
  expect(await intervalOf(startMonitor('openshift'))).toBe(20);
});

test('an interval that was agreed upon while the profile is openshift counts from the change to fast on', async () => {
  push('monitor.conf', `advertInterval: 50ms\nat: ${inMs(-hour)}\n`);
  await intervalOf(startMonitor('openshift'));
  push('monitor.conf', `profile: fast\nat: ${inMs(-hour)}\n`);
  const monitor = startMonitor('openshift');
  expect(await intervalOf(monitor)).toBe(50);
  expect(monitor.now().profile).toBe('fast');
});

test('a new node takes the interval of its group, once, and keeps it over a restart', async () => {
  const dialect = startMonitor('fast');
  await dialect.switchIfDue(undefined);
  expect(dialect.now().advertIntervalMs).toBe(20);
  expect(await dialect.learn(undefined)).toBe(false);
  expect(await dialect.learn(100)).toBe(true);
  expect(dialect.now().advertIntervalMs).toBe(100);
  expect(events()).toEqual(['advert-interval-adopted']);
  const again = startMonitor('fast');
  await again.switchIfDue(undefined);
  expect(again.now().advertIntervalMs).toBe(100);
});

test('a new node whose monitor restarts while it still listens takes the interval of its group all the same', async () => {
  await startMonitor('fast').switchIfDue(undefined);
  const again = startMonitor('fast');
  await again.switchIfDue(undefined);
  expect(await again.learn(100)).toBe(true);
  expect(startMonitor('fast').now().advertIntervalMs).toBe(100);
  const third = startMonitor('fast');
  expect(await third.learn(500)).toBe(false);
});

test('a node that was told an interval keeps it, and warns once of a group that has another', async () => {
  const dialect = startMonitor('fast', 50);
  await dialect.switchIfDue(undefined);
  for (const heard of [50, 100, 100]) expect(await dialect.learn(heard)).toBe(false);
  expect(dialect.now().advertIntervalMs).toBe(50);
  expect(log).toMatchObject([{ event: 'advert-interval-differs', intervalMs: 50, heardIntervalMs: 100 }]);
});
