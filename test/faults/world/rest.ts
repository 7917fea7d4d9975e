import { setTimeout as delay } from 'node:timers/promises';
import { defaultPorts } from '../../../src/cli/shared-flags.ts';
import { monotonicMs } from '../../../src/engine/system/time/monotonic-clock.ts';
import { takesPart } from '../../helpers/vrrp/hawser.ts';
import { quietFor } from '../../helpers/vrrp/holdings.ts';
import { shaOf } from '../record/node-watch.ts';
import { servedSha } from './supervisor-status.ts';
import type { World } from './world.ts';

const CALM_MS = 1_500;

/** The conditions for rest that are not met yet; empty at rest. */
export function missingForRest({ bed, client, nodes, keeper }: World): string {
  const out = nodes.filter((node) => !takesPart(node)).map(({ name }) => `${name} does not take part`);
  return [
    ...(bed.holders().length === 1 ? [] : [`${bed.holders().length} nodes hold the VIP`]),
    ...(quietFor(bed.events(), CALM_MS) ? [] : ['the VIP has just moved']),
    ...(client.calmFor(CALM_MS) ? [] : ['the client is not served']),
    ...(keeper.allRun() ? [] : ['a part does not run']),
    ...out,
  ].join(', ');
}

/** Nodes whose HAProxy does not serve its file: one that is stopping may drain for a while. */
async function notServing({ nodes }: World): Promise<string> {
  const all = await Promise.all(nodes.map(async (node) => ({ node, served: await servedSha(node) })));
  const out = all.filter(({ node, served }) => served === null || served !== shaOf(node.at('haproxy.cfg')));
  return out.map(({ node }) => `HAProxy of ${node.name} does not serve its file`).join(', ');
}

/** The metrics ports of hawser's four programs. A program terminated before its page is up does not clean up. */
const pages = [
  defaultPorts.haproxyMonitor,
  defaultPorts.keepalivedMonitor,
  defaultPorts.keepalivedSupervisor,
  defaultPorts.haproxySupervisor,
];

async function notStarted({ nodes }: World): Promise<string> {
  const all = await Promise.all(
    nodes.map(async ({ name, namespace }) => ({ name, listening: await namespace.run('ss', '-Hltn') })),
  );
  return all
    .flatMap(({ name, listening }) =>
      pages.filter((port) => !listening.includes(`127.0.0.1:${port} `)).map((port) => ({ name, port })),
    )
    .map(({ name, port }) => `no program of ${name} has its page at port ${port}`)
    .join(', ');
}

/** A fingerprint of the nodes' configurations: equal strings mean that all files are equal. */
export function configurationsOf({ nodes }: World): string {
  const shas = nodes.map((node) => ['haproxy.cfg', 'keepalived.conf'].map((file) => shaOf(node.at(file))));
  return JSON.stringify(shas);
}

/**
 * Resolves at rest, or with what is still missing after `patienceMs`. `configurations` are those of the first rest: a monitor that
 * could not repair a file tries again after up to 15 s.
 */
export async function waitForRest(
  world: World,
  configurations: string | undefined,
  patienceMs: number,
  signal: AbortSignal,
): Promise<string> {
  const notMended = () =>
    configurations === undefined || configurations === configurationsOf(world)
      ? ''
      : 'a configuration is not what it was at the first rest';
  const lastMs = monotonicMs() + patienceMs;
  for (;;) {
    const missing =
      missingForRest(world) || notMended() || (await notServing(world)) || (await notStarted(world));
    if (missing === '' || monotonicMs() > lastMs) return missing;
    await delay(100, undefined, { signal });
  }
}
