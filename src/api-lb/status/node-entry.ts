import {
  hashLines,
  type NodeEntry,
  type StatusLabel,
  statusLabel,
  styled,
} from '../../engine/examine/section.ts';
import type { KnownNode, SeenPeer } from '../../engine/examine/seen.ts';
import type { ApiLbNode } from './api-lb-node.ts';

/** Whether a node's HAProxy would serve a client, and with which configuration. */
export function haproxyEntry({ said, peer }: KnownNode<ApiLbNode>): NodeEntry {
  const label = peer === undefined ? labelOf(said) : HEALTH[peer.health];
  return {
    cells: [[styled('unit', 'HAProxy '), label]],
    configurations: hashLines('haproxy.cfg', said?.haproxySupervisor?.current?.configSha256),
  };
}

function labelOf(said: ApiLbNode | null): StatusLabel {
  const { haproxyMonitor, haproxySupervisor = null } = said ?? {};
  if (haproxyMonitor?.usable === true) return statusLabel('good', 'usable');
  if (haproxyMonitor?.usable === false) return statusLabel('bad', 'not usable');
  if (haproxySupervisor?.current) return statusLabel('good', 'serving');
  return haproxySupervisor === null ? statusLabel('unknown', 'not known') : statusLabel('bad', 'not serving');
}

const HEALTH: Readonly<Record<SeenPeer['health'], StatusLabel>> = {
  ready: statusLabel('good', 'ready'),
  'not-ready': statusLabel('bad', 'not ready'),
  'no-answer': statusLabel('bad', 'does not answer'),
};
