import { setTimeout as delay } from 'node:timers/promises';
import { defaultPorts } from '../../../src/cli/shared-flags.ts';
import { monotonicMs } from '../../../src/engine/system/time/monotonic-clock.ts';
import { takesPart } from '../../helpers/vrrp/hawser.ts';
import { quietFor } from '../../helpers/vrrp/holdings.ts';
import { shaOf } from '../record/node-watch.ts';
import { servedSha } from './supervisor-status.ts';
import type { World } from './world.ts';

const CALM_MS = 1_500;

/** What is still missing for the group to be at rest; empty once nothing is. */
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

/** HAProxys that do not serve their file: one that is ending may drain for a while. */
async function notServing({ nodes }: World): Promise<string> {
  const all = await Promise.all(nodes.map(async (node) => ({ node, served: await servedSha(node) })));
  const out = all.filter(({ node, served }) => served === null || served !== shaOf(node.at('haproxy.cfg')));
  return out.map(({ node }) => `HAProxy of ${node.name} does not serve its file`).join(', ');
}

/** The pages of hawser's four programs: a program asked to end before its page is up does not clean up. */
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

/** What the nodes' configurations are; equal texts where all are equal. */
export function configurationsOf({ nodes }: World): string {
  const shas = nodes.map((node) => ['haproxy.cfg', 'keepalived.conf'].map((file) => shaOf(node.at(file))));
  return JSON.stringify(shas);
}

/**
 * Resolves once nothing is missing, or with what is after that time. `configurations` are those of the first rest: a monitor that could
 * not mend a file tries again after up to 15 s.
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
