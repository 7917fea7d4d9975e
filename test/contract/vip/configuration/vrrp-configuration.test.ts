import { cpSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { settingsTyped } from '../../../../src/cli/command-line.ts';
import { serveControlSocket } from '../../../../src/engine/control/control-server.ts';
import { changeProblem } from '../../../../src/engine/examine/problem.ts';
import type { ApiServer } from '../../../../src/engine/kube/api-server.ts';
import { createServerList } from '../../../../src/engine/monitor/servers/server-list.ts';
import { createMetricsRegistry } from '../../../../src/engine/observe/metrics-registry.ts';
import { createOnce } from '../../../../src/engine/observe/once.ts';
import type { LogEvent } from '../../../../src/engine/system/log.ts';
import { createWake } from '../../../../src/engine/system/time/wake.ts';
import { gatherLastRun } from '../../../../src/vip/configuration/node-lists.ts';
import { vrrpConfiguration } from '../../../../src/vip/configuration/vrrp-configuration.ts';
import type { KeepalivedModel } from '../../../../src/vip/group/vrrp.ts';
import { createKeepalivedMonitorMetrics } from '../../../../src/vip/settings/keepalived-monitor-metrics.ts';
import { keepalivedMonitorCommand } from '../../../../src/vip/settings/keepalived-monitor-settings.ts';
import { testFolder } from '../../../helpers/test-folder.ts';
import { waitFor } from '../../../helpers/wait-for.ts';

const { signal } = new AbortController();
const plain = { text: '# hawser renders this file\n', mode: 0o644 };

/** The configuration of a node whose supervisor accepts everything, with the nodes that a test lists. */
async function group() {
  const dir = testFolder();
  writeFileSync(join(dir, 'keepalived'), '#!/bin/sh\n', { mode: 0o700 });
  const served = await serveControlSocket(join(dir, 'keepalived.sock'), async () => ({ ok: true }));
  onTestFinished(async () => (served.kind === 'serving' ? await served.close() : undefined));
  const paths = ['kubeconfig', 'keepalived.conf.ejs', 'keepalived.conf'].map((name) => join(dir, name));
  const flags = ['--api-vips', '192.0.2.100', '--settle', '1ms', '--node-name', 'cp-1'];
  const here = ['--keepalived', join(dir, 'keepalived'), '--socket', join(dir, 'keepalived.sock')];
  const settings = settingsTyped(
    keepalivedMonitorCommand,
    [...paths, ...flags, ...here],
    {},
    () => undefined,
  );
  const logged: LogEvent[] = [];
  const registry = createMetricsRegistry();
  const metrics = createKeepalivedMonitorMetrics(() => 0, registry);
  const observers = { metrics, once: createOnce(), log: (event: LogEvent) => void logged.push(event) };
  const list = createServerList(settings, { lastKnown: undefined, save: () => undefined }, observers);
  const observe = async (...names: readonly string[]) => {
    const servers = names.map((name) => ({ name, address: `192.0.2.${name.slice(3)}`, port: 6443 }));
    list.observe({ kind: 'servers', via: 'poll', from: 'a test', servers, skipped: [] });
    await waitFor('the list to settle', async () => (await list.next(signal)).input);
  };
  const prepared: (KeepalivedModel | undefined)[] = [];
  const guard = { prepare: (model: KeepalivedModel | undefined) => void prepared.push(model) };
  const modelSettings = { ...settings, clusterName: 'cluster' };
  const lists = [{ kind: 'api', list, lastRun: [] }] as const;
  const parts = { wake: createWake(), lists, modelSettings, guard, observers };
  const inputOf = (...names: readonly string[]) => {
    const controlPlane = names.map((name) => ({ name, addresses: [`192.0.2.${name.slice(3)}`] }));
    const interfaces = [{ name: 'eth0', addresses: ['192.0.2.1/24'] }];
    return { settings: modelSettings, controlPlane, allNodes: [], interfaces, routes: [] };
  };
  const configuration = vrrpConfiguration(settings, parts);
  // The last good copy is written in the background.
  onTestFinished(() => configuration.deployer.ended());
  return { dir, configuration, observe, inputOf, logged, registry, prepared };
}

test('a removed node is not counted while keepalived still has it as a peer', async () => {
  const { configuration, observe, inputOf, logged, registry } = await group();
  await observe('cp-1', 'cp-2');
  await configuration.deployer.deploy(plain, inputOf('cp-1', 'cp-2', 'cp-3'), signal);

  expect(logged.find(({ event }) => event === 'configuration-reloaded')).toMatchObject({
    nodes: 2,
    leaving: 1,
  });
  expect(registry.text()).toContain('hawser_group_nodes{kind="api"} 2');
});

test('a confirmed configuration reaches the health writers before their next check', async () => {
  const { configuration, observe, inputOf } = await group();
  await observe('cp-1', 'cp-2');
  const confirmed: boolean[] = [];
  configuration.onChange(() => void confirmed.push(configuration.isApplied()));
  await configuration.deployer.deploy(plain, inputOf('cp-1', 'cp-2'), signal);
  expect(confirmed).toEqual([true]);
});

test('a deployment is aborted if it would remove a node that is listed again', async () => {
  const { dir, configuration, observe, inputOf, logged, registry } = await group();
  cpSync('templates/keepalived.conf.ejs', join(dir, 'keepalived.conf.ejs'));
  await observe('cp-1', 'cp-2', 'cp-3');
  await configuration.deployer.deploy(plain, inputOf('cp-1', 'cp-2', 'cp-3'), signal);
  const check = `#!/bin/sh\necho > ${dir}/asked\nexec sleep 20\n`;
  writeFileSync(join(dir, 'keepalived'), check, { mode: 0o700 });
  await observe('cp-1', 'cp-2');
  const outcome = await configuration.render(inputOf('cp-1', 'cp-2'));
  if (outcome.kind !== 'rendered') throw new Error(outcome.message);

  const deployed = configuration.deployer.deploy(outcome.rendered, inputOf('cp-1', 'cp-2'), signal);
  await waitFor('the check', () => existsSync(join(dir, 'asked')));
  await observe('cp-1', 'cp-2', 'cp-3');
  await deployed;
  const message = 'The latest list contains node "cp-3" again, which this configuration would remove';
  expect(readFileSync(join(dir, 'keepalived.conf'), 'utf8')).toBe(plain.text);
  expect(existsSync(join(dir, 'keepalived.conf.candidate'))).toBe(false);
  expect(logged.at(-1)).toEqual({ event: 'configuration-superseded', message });
  expect(registry.text()).toContain('hawser_applies_total{result="failed"} 0');
  expect(changeProblem('keepalived.conf', configuration.view().lastChange)).toBe(false);
});

test('a deployment is aborted if the latest list lacks this node', async () => {
  const { dir, configuration, observe, inputOf, logged } = await group();
  await observe('cp-1', 'cp-251', 'cp-252');
  const check = `#!/bin/sh\necho > ${dir}/asked\nexec sleep 20\n`;
  writeFileSync(join(dir, 'keepalived'), check, { mode: 0o700 });

  const deployed = configuration.deployer.deploy(plain, inputOf('cp-1', 'cp-251', 'cp-252'), signal);
  await waitFor('the check', () => existsSync(join(dir, 'asked')));
  await observe('cp-251', 'cp-252');
  await deployed;
  const message = 'The latest list does not contain this node';
  expect(logged.at(-1)).toEqual({ event: 'configuration-superseded', message });
  expect(existsSync(join(dir, 'keepalived.conf'))).toBe(false);
});

test('the retry of a failed deployment does not write the file of a removed node again', async () => {
  const { dir, configuration, observe, inputOf, logged } = await group();
  await observe('cp-1', 'cp-251', 'cp-252');
  rmSync(join(dir, 'keepalived'));
  await configuration.deployer.deploy(plain, inputOf('cp-1', 'cp-251', 'cp-252'), signal);
  expect(logged.at(-1)).toMatchObject({ event: 'configuration-not-applied' });
  await observe('cp-251', 'cp-252');
  for (let rounds = 0; rounds < 2; rounds += 1) await configuration.next(signal);
  expect(configuration.list()).toMatchObject({ kind: 'accepted', names: 'others' });

  writeFileSync(join(dir, 'keepalived'), '#!/bin/sh\n', { mode: 0o700 });
  const ended = await waitFor('the retry', () =>
    logged.find(({ event }) => event === 'configuration-superseded' || event === 'configuration-reloaded'),
  );
  expect(ended).toMatchObject({ event: 'configuration-superseded' });
  expect(existsSync(join(dir, 'keepalived.conf'))).toBe(false);
});

test("a model that is not ready keeps the router id guard's verdict, a removal ends it", async () => {
  const { configuration, observe, prepared } = await group();
  // Two nodes with one address: there is no model.
  await observe('cp-1', 'xx-1');
  expect((await configuration.next(signal)).input).toBeDefined();
  expect(prepared).toEqual([]);
  await observe('cp-251', 'cp-252');
  for (let rounds = 0; rounds < 2; rounds += 1) await configuration.next(signal);
  expect(prepared).toContain(undefined);
});

test('the input of the last run has its nodes, and there is none on a first run', async () => {
  const { settings } = (await group()).inputOf();
  const observers = { log: () => {}, once: createOnce() };
  const list = createServerList(settings, { lastKnown: undefined, save: () => undefined }, observers);
  const inputFor = async (lastRun: readonly ApiServer[]) =>
    await gatherLastRun([{ kind: 'api', list, lastRun }], settings);
  expect(await inputFor([])).toBeUndefined();
  expect(await inputFor([{ name: 'cp-1', address: '192.0.2.1', port: 6443 }])).toMatchObject({
    controlPlane: [{ name: 'cp-1', addresses: ['192.0.2.1'] }],
    allNodes: [],
  });
});

test('nothing is deployed that would remove a node which is listed already', async () => {
  const { dir, configuration, observe, inputOf, logged } = await group();
  cpSync('templates/keepalived.conf.ejs', join(dir, 'keepalived.conf.ejs'));
  await observe('cp-1', 'cp-2', 'cp-3');
  await configuration.deployer.deploy(plain, inputOf('cp-1', 'cp-2', 'cp-3'), signal);
  const outcome = await configuration.render(inputOf('cp-1', 'cp-2'));
  if (outcome.kind !== 'rendered') throw new Error(outcome.message);

  await configuration.deployer.deploy(outcome.rendered, inputOf('cp-1', 'cp-2'), signal);
  expect(readFileSync(join(dir, 'keepalived.conf'), 'utf8')).toBe(plain.text);
  expect(logged.at(-1)).toMatchObject({ event: 'configuration-superseded' });
});

test('only a node missing from an accepted list sets its configuration aside, once', async () => {
  const { dir, configuration, observe, logged } = await group();
  const changes: string[] = [];
  configuration.onChange(() => void changes.push(configuration.list().kind));
  writeFileSync(join(dir, 'keepalived.conf'), 'old');
  writeFileSync(join(dir, 'keepalived.conf.last-good'), 'old');
  await configuration.next(signal);
  expect(existsSync(join(dir, 'keepalived.conf'))).toBe(true);

  await observe('cp-251', 'cp-252');
  for (let rounds = 0; rounds < 2; rounds += 1) await configuration.next(signal);
  expect(readdirSync(dir).filter((name) => name.includes('conf'))).toEqual(['keepalived.conf.left']);
  expect(configuration.list()).toMatchObject({ kind: 'accepted', names: 'others' });
  expect(changes).toEqual(['accepted']);
  expect(logged.filter(({ event }) => event === 'removed-from-node-list')).toHaveLength(1);
});

test('a node that is listed elsewhere stays so until keepalived uses a listed address', async () => {
  const { configuration, observe, inputOf } = await group();
  expect(configuration.isListedElsewhere()).toBe(false);
  await observe('cp-1', 'cp-2', 'cp-3');
  await configuration.next(signal);
  expect(configuration.list()).toMatchObject({ kind: 'accepted', names: 'us' });
  expect(configuration.isListedElsewhere()).toBe(true);
  // The interfaces of this machine lack the address: a cable that is unplugged for a moment.
  await configuration.deployer.deploy(plain, inputOf('cp-1', 'cp-2', 'cp-3'), signal);
  await configuration.next(signal);
  expect(configuration.isListedElsewhere()).toBe(false);
});

test('a replaced node stays a peer for a while, and its replacement is added at once', async () => {
  const { configuration, observe } = await group();
  const peers = async () => {
    const { input, recheckInMs } = await configuration.next(signal);
    return { names: input?.controlPlane.map(({ name }) => name), recheckInMs };
  };
  await observe('cp-1', 'cp-2', 'cp-3');
  expect((await peers()).names).toEqual(['cp-1', 'cp-2', 'cp-3']);
  await observe('cp-1', 'cp-2', 'cp-4');
  const first = await waitFor('the next list', async () => {
    const found = await peers();
    return found.names?.includes('cp-4') && found;
  });
  expect(first.names).toEqual(['cp-1', 'cp-2', 'cp-4', 'cp-3']);
  expect(first.recheckInMs).toBeGreaterThan(0);
  const isGone = async () => !(await peers()).names?.includes('cp-3');
  await waitFor('the end of the removed one', isGone);
});
