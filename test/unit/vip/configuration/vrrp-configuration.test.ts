import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { settingsTyped } from '../../../../src/cli/command-line.ts';
import { createMetricsRegistry } from '../../../../src/engine/observe/metrics-registry.ts';
import { createOnce } from '../../../../src/engine/observe/once.ts';
import { createServerList } from '../../../../src/engine/reconcile/servers/server-list.ts';
import type { LogEvent } from '../../../../src/engine/system/log.ts';
import { createWake } from '../../../../src/engine/system/time/wake.ts';
import { vrrpConfiguration } from '../../../../src/vip/configuration/vrrp-configuration.ts';
import { createKeepalivedMonitorMetrics } from '../../../../src/vip/settings/keepalived-monitor-metrics.ts';
import {
  keepalivedMonitorCommand,
  keepalivedSettings,
} from '../../../../src/vip/settings/keepalived-monitor-settings.ts';
import { waitFor } from '../../../helpers/wait-for.ts';

const { signal } = new AbortController();

test('a node that has gone is not counted while keepalived still has it as a peer', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'hawser-group-'));
  onTestFinished(() => rmSync(dir, { recursive: true }));
  const paths = ['kubeconfig', 'keepalived.conf.ejs', 'keepalived.conf'].map((name) => join(dir, name));
  const flags = ['--api-vips', '192.0.2.100', '--settle', '1ms'];
  const settings = settingsTyped(keepalivedMonitorCommand, [...paths, ...flags], {}, () => undefined);
  const logged: LogEvent[] = [];
  const registry = createMetricsRegistry();
  const metrics = createKeepalivedMonitorMetrics(() => 0, registry);
  const observers = { metrics, once: createOnce(), log: (event: LogEvent) => void logged.push(event) };
  const list = createServerList(settings, { lastKnown: undefined, save: () => undefined }, observers);
  const servers = ['cp-1', 'cp-2'].map((name, index) => ({
    name,
    address: `192.0.2.${index + 1}`,
    port: 6443,
  }));
  list.observe({ kind: 'servers', via: 'poll', from: 'a test', servers, skipped: [] });
  await waitFor('the list to settle', async () => (await list.next(signal)).input);

  const guard = {
    ...{
      prepare: () => undefined,
      admits: async () => true,
      taken: () => null,
      heardIntervalMs: () => undefined,
      run: async () => undefined,
    },
  };
  const modelSettings = keepalivedSettings(settings, 'cluster');
  const lists = [{ kind: 'api', list, run: async () => undefined }] as const;
  const isVipClear = () => true;
  const parts = { wake: createWake(), lists, modelSettings, guard, isVipClear, observers };
  const gone = { name: 'cp-3', addresses: ['192.0.2.3'] };
  const controlPlane = [...servers.map(({ name, address }) => ({ name, addresses: [address] })), gone];
  const input = { settings: modelSettings, controlPlane, allNodes: [], interfaces: [], routes: [] };
  await vrrpConfiguration(settings, parts).observe({ kind: 'reloaded', acknowledged: true }, input, 'text');

  expect(logged.find(({ event }) => event === 'configuration-reloaded')).toMatchObject({
    nodes: 2,
    leaving: 1,
  });
  expect(registry.text()).toContain('hawser_group_nodes{kind="api"} 2');
});
