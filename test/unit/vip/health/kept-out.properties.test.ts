import { mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { settingsTyped } from '../../../../src/cli/command-line.ts';
import { createMetricsRegistry } from '../../../../src/engine/observe/metrics-registry.ts';
import { createOnce } from '../../../../src/engine/observe/once.ts';
import { createTrackFileWatchdog, readTrackValue } from '../../../../src/keepalived/track-file.ts';
import { pointsOf, TRACK, type TrackHealth, trackAddends } from '../../../../src/keepalived/track-value.ts';
import { buildKeepalivedModel } from '../../../../src/vip/group/keepalived-model.ts';
import { healthSources } from '../../../../src/vip/health/health-sources.ts';
import { createTrackWriter } from '../../../../src/vip/health/track-writer.ts';
import { createParticipant } from '../../../../src/vip/participation/participant.ts';
import type { ListFact } from '../../../../src/vip/participation/participation.ts';
import { createKeepalivedMonitorMetrics } from '../../../../src/vip/settings/keepalived-monitor-metrics.ts';
import {
  type KeepalivedMonitorSettings,
  keepalivedMonitorCommand,
} from '../../../../src/vip/settings/keepalived-monitor-settings.ts';
import { runs } from '../../../helpers/property-seed.ts';

/** Equal to the refresh interval of an unchanged value, so that a monitor writes at each step. */
const LOOK_MS = 500;
const START_MS = 1_800_000_000_000;
const url = { secure: false, host: '127.0.0.1', port: 1, path: '/' };
const quiet = {
  log: () => {},
  once: createOnce(),
  metrics: createKeepalivedMonitorMetrics(() => 0, createMetricsRegistry()),
};

const degraded: TrackHealth = {
  kind: 'api',
  service: 'failed',
  failedForMs: 60_000,
  localApiServes: true,
  holder: false,
  everyoneFailing: false,
  order: 'none',
  priority: 220,
};

/**
 * The track file of one node and the programs that write it, without keepalived. Another host answers for the VIP, and this
 * node does not hear it.
 */
function openNode(health: TrackHealth) {
  const dir = mkdtempSync(join(tmpdir(), 'hawser-kept-out-'));
  const trackFile = join(dir, 'lb.track');
  const now: { ms: number; list: ListFact } = { ms: 0, list: { kind: 'none' } };
  const probe = { healthy: () => health.service === 'ok', reset: () => undefined };
  const watchdog = createTrackFileWatchdog(trackFile, 3_000, probe, () => now.ms);
  const startMonitor = () => {
    const facts = () => ({
      list: now.list,
      applied: true,
      routerId: { kind: 'free' } as const,
      sourceAddress: 'present' as const,
      peers: 'all-back-without-api' as const,
    });
    const segment = () => ({ kind: 'unheard' }) as const;
    const decide = createParticipant('api', trackFile, { facts, segment }, quiet, () => now.ms);
    const track = createTrackWriter({ kind: 'api', trackFile, url }, quiet, () => now.ms);
    return () => {
      const { participation, noted } = decide();
      const value = participation.state === 'in' ? pointsOf(trackAddends(health)) : TRACK.fault;
      track.write(value, noted, () => '');
      if (track.written() !== undefined) stamp();
      return participation.state;
    };
  };
  const stamp = () => utimesSync(trackFile, (START_MS + now.ms) / 1_000, (START_MS + now.ms) / 1_000);
  writeFileSync(trackFile, `${TRACK.fault}\n`);
  stamp();
  let monitor: ReturnType<typeof startMonitor> | undefined;
  return {
    now,
    setMonitor: (runs: boolean) => {
      monitor = runs ? (monitor ?? startMonitor()) : undefined;
    },
    look: () => {
      now.ms += LOOK_MS;
      const state = monitor?.();
      watchdog(false, START_MS + now.ms);
      return { state, value: readTrackValue(trackFile) };
    },
    [Symbol.dispose]: () => rmSync(dir, { recursive: true }),
  };
}

const duration = fc.integer({ min: 1, max: 30 }).map((seconds) => seconds * 1_000);
const steps = fc.array(fc.record({ monitor: fc.boolean(), forMs: duration }), {
  minLength: 1,
  maxLength: 12,
});
const healths = fc.constantFrom<TrackHealth>(degraded, { ...degraded, service: 'ok' });
const listOf = (names: 'us' | 'others', since: number): ListFact => ({
  kind: 'accepted',
  names,
  since,
  sameAsLastRun: true,
});

test('a removed node stays out across restarts of its monitor and outages of the API', () => {
  const apis = fc.infiniteStream(fc.constantFrom('away', 'names other nodes'));
  fc.assert(
    fc.property(steps, apis, healths, (sequence, api, health) => {
      using node = openNode(health);
      let wasKeptOut = false;
      for (const { monitor, forMs } of sequence) {
        node.setMonitor(monitor);
        const isNamed = monitor && api.next().value === 'names other nodes';
        node.now.list = isNamed ? listOf('others', node.now.ms) : { kind: 'none' };
        for (const endMs = node.now.ms + forMs; node.now.ms < endMs; ) {
          const { state, value } = node.look();
          wasKeptOut ||= state === 'out';
          if (wasKeptOut) expect(value).toBe(TRACK.fault);
        }
      }
    }),
    { numRuns: runs(40) },
  );
});

test('a removed node whose monitor starts late after a boot is out ten seconds later', () => {
  fc.assert(
    fc.property(steps, healths, (sequence, health) => {
      using node = openNode(health);
      for (const { monitor, forMs } of [...sequence, { monitor: false, forMs: 11_000 }]) {
        node.setMonitor(monitor);
        for (const endMs = node.now.ms + forMs; node.now.ms < endMs; ) node.look();
      }
      node.setMonitor(true);
      for (const endMs = node.now.ms + 10_500; node.now.ms < endMs; ) node.look();
      expect(node.look()).toEqual({ state: 'out', value: TRACK.fault });
    }),
    { numRuns: runs(40) },
  );
});

test('a member whose monitor restarts without an API server continues at once, degraded or not', () => {
  fc.assert(
    fc.property(steps, healths, (sequence, health) => {
      using node = openNode(health);
      node.setMonitor(true);
      node.now.list = listOf('us', 0);
      for (let looks = 0; looks < 61; looks += 1) node.look();
      node.now.list = { kind: 'none' };
      for (const { monitor, forMs } of sequence) {
        node.setMonitor(monitor);
        for (const endMs = node.now.ms + forMs; node.now.ms < endMs; ) {
          const { value } = node.look();
          expect(value).toBeGreaterThan(TRACK.fault);
          if (monitor) expect(value).toBe(pointsOf(trackAddends(health)));
        }
      }
    }),
    { numRuns: runs(40) },
  );
});

const typed = [
  '/kubeconfig',
  '/template',
  '/keepalived.conf',
  '--api-vips',
  '10.0.0.5',
  '--ingress-vips',
  '10.0.0.6',
];

test.each([
  ['with', ['--ingress-health', 'http://localhost:1936/']],
  ['without', []],
])('every VIP has a track file that keeps a rebooted node in FAULT, %s --ingress-health', (_how, flags) => {
  const settings = settingsTyped(keepalivedMonitorCommand, [...typed, ...flags], {}, () => undefined);
  const tracked = healthSources(settings, quiet).map(({ kind, trackFile }) => [kind, trackFile]);
  expect(Object.fromEntries(tracked)).toEqual({
    api: '/var/run/keepalived/lb.track',
    ingress: '/var/run/keepalived/ingress.track',
  });
  const tracks = modelOf(settings).map(({ name, trackFiles }) => [name, trackFiles]);
  expect(tracks).toEqual([
    ['API', ['lb']],
    ['INGRESS', ['ingress']],
  ]);
});

function modelOf(settings: KeepalivedMonitorSettings) {
  const node = (name: string, address: string) => ({ name, addresses: [address] });
  const nodes = [node('a', '10.0.0.1'), node('b', '10.0.0.2')];
  const built = buildKeepalivedModel({
    settings: { ...settings, nodeName: 'a', clusterName: 'one' },
    controlPlane: nodes,
    allNodes: nodes,
    routes: [],
    interfaces: [{ name: 'eth0', addresses: ['10.0.0.1/24'] }],
  });
  return built.kind === 'model' ? built.model.instances : [];
}
