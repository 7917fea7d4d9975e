import { readFileSync, writeFileSync } from 'node:fs';
import { monotonicMs } from '../../src/engine/system/time/monotonic-clock.ts';
import type { BedClient } from '../helpers/vrrp/bed-client.ts';
import { PROBE_GAP_MS } from '../helpers/vrrp/bed-client.ts';
import type { BedNode } from '../helpers/vrrp/bed-node.ts';
import { takesPart } from '../helpers/vrrp/hawser.ts';
import { takeOvers } from '../helpers/vrrp/holdings.ts';
import { blackoutMs, lostCount, probesWithin } from '../helpers/vrrp/probes.ts';
import type { VrrpBed } from '../helpers/vrrp/vrrp-bed.ts';
import { waitFor } from '../helpers/wait-for.ts';

/** Longer than a busy machine needs until every monitor has read and checked what was pushed. */
const AHEAD_MS = 8_000;
const PATIENCE_MS = 60_000;

interface World {
  readonly bed: VrrpBed;
  readonly client: BedClient;
  readonly nodes: readonly BedNode[];
}

export interface AgreedChange {
  /** Names of the nodes that took the VIP meanwhile, in order; one that took it again included. */
  readonly moves: readonly string[];
  readonly blackoutMs: number;
  readonly lost: number;
}

/** One push to all nodes ahead of the time; resolves once all have changed and the client has long been served. */
export async function changeAtOnce(
  { bed, client, nodes }: World,
  words: string,
  isChanged: (configuration: string) => boolean,
): Promise<AgreedChange> {
  const fromMs = monotonicMs();
  client.forget();
  const at = new Date(Date.now() + AHEAD_MS).toISOString();
  const planned = new Map(nodes.map((node) => [node, plans(node)]));
  for (const node of nodes) writeFileSync(node.at('monitor.conf'), `${words}\nat: ${at}\n`);
  for (const node of nodes)
    await waitFor(`${node.name} to plan`, () => plans(node) > (planned.get(node) ?? 0), AHEAD_MS);
  const changed = (node: BedNode) =>
    isChanged(readFileSync(node.at('keepalived.conf'), 'utf8')) && takesPart(node);
  await waitFor('all nodes to change', () => nodes.every(changed), PATIENCE_MS);
  const rested = () => bed.holders().length === 1 && client.calmFor(1_500);
  await waitFor('one holder that serves', rested, PATIENCE_MS);
  const toMs = monotonicMs();
  const probes = probesWithin(client.probes(), fromMs, toMs);
  return {
    moves: takeOvers(bed.events(), fromMs, toMs).map(({ node }) => node),
    blackoutMs: Math.round(blackoutMs(probes, PROBE_GAP_MS)),
    lost: lostCount(probes),
  };
}

function plans(node: BedNode): number {
  return eventsOf(node).filter((event) => event === 'profile-change-planned').length;
}

/** What the node's monitor has told, by name. */
export function eventsOf(node: BedNode): readonly string[] {
  const log = readFileSync(node.at('keepalived-monitor.log'), 'utf8');
  return [...log.matchAll(/"event":"([^"]+)"/g)].map(([, event = '']) => event);
}
