import {
  hashLines,
  type NodeEntry,
  type StatusLabel,
  statusLabel,
  styled,
} from '../../engine/examine/section.ts';
import type { KnownNode, SeenCluster, SeenPeer } from '../../engine/examine/seen.ts';
import type { ApiLbNode } from './api-lb-node.ts';

/** Whether a node's HAProxy would serve a client, and with which configuration. */
export function haproxyEntry(
  { said, peer }: KnownNode<ApiLbNode>,
  { here }: SeenCluster<ApiLbNode>,
): NodeEntry {
  const label = said === null ? HEALTH[peer?.observed.health ?? 'not-asked'] : labelOf(said);
  const [theirs, ours] = [said, here].map((node) => node?.haproxySupervisor?.current?.configSha256);
  // It is the same on every node that knows the same servers.
  const isOther = theirs !== ours && ours !== undefined;
  return {
    cells: [[styled('unit', 'HAProxy '), label]],
    configurations: hashLines('haproxy.cfg', theirs, isOther),
  };
}

function labelOf({ haproxyMonitor, haproxySupervisor }: ApiLbNode): StatusLabel {
  if (haproxyMonitor?.usable === true) return statusLabel('good', 'usable');
  if (haproxyMonitor?.usable === false) return statusLabel('bad', 'not usable');
  if (haproxySupervisor?.current) return statusLabel('good', 'serving');
  return haproxySupervisor === null ? statusLabel('unknown', 'not known') : statusLabel('bad', 'not serving');
}

const HEALTH: Readonly<Record<SeenPeer<ApiLbNode>['observed']['health'], StatusLabel>> = {
  ready: statusLabel('good', 'ready'),
  'not-ready': statusLabel('bad', 'not ready'),
  'no-answer': statusLabel('bad', 'does not answer'),
  'not-asked': statusLabel('unknown', 'not asked'),
};
