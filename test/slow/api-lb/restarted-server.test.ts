import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { parseServerCounters } from '../../../src/api-lb/suspects/server-counters.ts';
import { monotonicMs } from '../../../src/engine/system/time/monotonic-clock.ts';
import { askRuntimeApi } from '../../../src/haproxy/runtime-api.ts';
import type { Cluster } from '../../helpers/cluster.ts';
import { type Load, startLoad } from '../../helpers/load/start-load.ts';
import { createLoadBalancer } from '../../helpers/load-balancer.ts';
import { defaultLoadBalancerSettings } from '../../helpers/load-balancer-settings.ts';
import { renderLoadBalancer } from '../../helpers/render-load-balancer.ts';
import { readLogEvents } from '../../helpers/supervisor-process.ts';
import { createTestedCluster } from '../../helpers/tested-cluster.ts';
import { waitFor } from '../../helpers/wait-for.ts';

const templatePath = join(import.meta.dirname, '../../../templates/haproxy.cfg.ejs');
const KILLS = 5;
const RATE_PER_SECOND = 40;
/** What a ready stand-in API server answers to the load. */
const READY_ANSWER = `${JSON.stringify({ kind: 'APIVersions', path: '/load' }, undefined, 2)}\n`;
/** Connections of all clients in the four seconds while the server starts. HAProxy checks every five. */
const STARTING_CONNECTIONS = 4 * RATE_PER_SECOND;
/** A connection that begins this soon after the kill may still go to the server. */
const GRACE_MS = 100;

interface World {
  readonly cluster: Cluster;
  readonly load: Load;
  /** Connections that HAProxy has sent to each server. */
  readonly chosen: () => Promise<ReadonlyMap<string, number>>;
}

/** Three API servers, the shipped configuration, the real supervisor, and clients that send one request each. */
async function openWorld(): Promise<World> {
  const cluster = await createTestedCluster(3);
  for (const node of cluster.nodes) await cluster.startServer(node);
  const balancer = createLoadBalancer(cluster, '');
  const statsSocket = join(cluster.dir, 'run/haproxy.sock');
  const settings = {
    ...defaultLoadBalancerSettings,
    statsSocket,
    stateFile: join(cluster.dir, 'run/server-state'),
  };
  const servers = cluster.nodes.map(({ name, address }) => ({ name, address, port: settings.apiPort }));
  const outcome = renderLoadBalancer(readFileSync(templatePath, 'utf8'), settings, servers, { templatePath });
  if (outcome.kind === 'failed') throw new Error(outcome.message);
  writeFileSync(balancer.config, outcome.text);
  const supervisor = await balancer.startSupervisor();
  onTestFinished(async () => {
    supervisor.kill('SIGTERM');
    await supervisor.ended;
  });
  await supervisor.waitForServing();
  const load = await startLoad(cluster.namespace.prefix, {
    host: '127.0.0.1',
    port: settings.lbPort,
    ratePerSecond: RATE_PER_SECOND,
    timeoutMs: 60_000,
    streams: 0,
    streamRampMs: 0,
    servers: [READY_ANSWER],
    probe: null,
  });
  onTestFinished(() => load[Symbol.asyncDispose]());
  const chosen = async () => {
    const counters = parseServerCounters((await askRuntimeApi(statsSocket, 'show stat', 2_000)) ?? '') ?? [];
    return new Map(
      counters.map(({ name, chosen: connections }) => [name.replace(/^masters\//, ''), connections]),
    );
  };
  return { cluster, load, chosen };
}

const setAside = (dir: string, server: string): number =>
  readLogEvents(join(dir, 'supervisor.log')).filter(
    (line) => line.event === 'server-set-aside' && line['server'] === `masters/${server}`,
  ).length;

const sum = (counts: ReadonlyMap<string, number>): number =>
  [...counts.values()].reduce((total, each) => total + each, 0);

test('an API server that is killed and restarted at once gets no client before it is ready', {
  timeout: 300_000,
}, async () => {
  const { cluster, load, chosen } = await openWorld();
  const kills: number[] = [];
  for (let kill = 0; kill < KILLS; kill += 1) {
    const node = cluster.nodes[kill % cluster.nodes.length];
    if (node === undefined) throw new Error('Cannot find the node');
    const served = (await chosen()).get(node.name) ?? 0;
    await waitFor(`${node.name} to serve`, async () => ((await chosen()).get(node.name) ?? 0) > served + 5);
    kills.push(monotonicMs());
    await cluster.killServer(node);
    // A real API server takes a second or more until it listens.
    await waitFor(
      `${node.name} to be set aside`,
      () => setAside(cluster.dir, node.name) > Math.floor(kill / 3),
    );
    // Takes effect in the next process.
    await cluster.setFaults(node, { starting: true, slowMs: 2_500 });
    await cluster.startServer(node);
    const before = sum(await chosen());
    await waitFor('others to serve', async () => sum(await chosen()) > before + STARTING_CONNECTIONS);
    await cluster.setFaults(node, {});
  }
  // Answers from an unready server, as milliseconds since the preceding kill.
  const late = load
    .events()
    .filter((event) => event.kind === 'lost')
    .filter(({ reason }) => reason === 'wrong')
    .map(({ startedAtMs }) => startedAtMs - Math.max(...kills.filter((at) => at <= startedAtMs)))
    .filter((sinceKillMs) => sinceKillMs > GRACE_MS);
  expect(late).toEqual([]);
  expect((await load.stop()).ok).toBeGreaterThan(KILLS * STARTING_CONNECTIONS);
});
