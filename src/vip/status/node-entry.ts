import {
  type Detail,
  hashLines,
  type NodeEntry,
  type StatusLabel,
  statusLabel,
  styled,
} from '../../engine/examine/section.ts';
import type { KnownNode } from '../../engine/examine/seen.ts';
import { ageText } from '../../engine/system/text/readable-text.ts';
import type { VipPriority } from './priority-text.ts';
import type { VipCluster, VipNode } from './vip-node.ts';

/** The VIPs that a node holds, what its checks found, and the configuration of its keepalived. */
export function keepalivedEntry({ name, said }: KnownNode<VipNode>, { vips }: VipCluster): NodeEntry {
  const holds = vips.filter(({ holders }) => holders.includes(name)).map(({ vip }) => vip);
  const { keepalivedMonitor = null, keepalivedSupervisor = null } = said ?? {};
  return {
    address: keepalivedMonitor?.group.find(({ self }) => self)?.address,
    cells: [holds.map((vip) => styled('line', styled('unit', 'holds '), vip))],
    configurations: hashLines('keepalived.conf', keepalivedSupervisor?.current?.configSha256),
    details: checkDetails(keepalivedMonitor?.priorities ?? []),
  };
}

type Check = VipPriority['checks'][number];

const STATES: Readonly<Record<Check['state'], StatusLabel>> = {
  ok: statusLabel('good', 'good'),
  doubtful: statusLabel('warn', 'doubtful'),
  failed: statusLabel('bad', 'failed'),
  unknown: statusLabel('unknown', 'not known'),
};

/** With the kind of VIP where the node has more than one: both have a check of the other nodes. */
function checkDetails(priorities: readonly VipPriority[]): readonly Detail[] {
  const isMixed = new Set(priorities.map(({ kind }) => kind)).size > 1;
  return priorities.flatMap(({ kind, checks }) =>
    checks.map((check) => {
      const detail = checkDetail(check);
      return isMixed ? { ...detail, name: `${KINDS[kind]}, ${detail.name}` } : detail;
    }),
  );
}

const KINDS: Readonly<Record<VipPriority['kind'], string>> = { api: 'API', ingress: 'ingress' };

function checkDetail({ check, state, message, sinceMs }: Check): Detail {
  return {
    name: check,
    state: STATES[state],
    message,
    age: sinceMs === null ? null : `for ${ageText(sinceMs)}`,
  };
}
