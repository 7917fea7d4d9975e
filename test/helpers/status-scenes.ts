import { statusProducts } from '../../src/commands/status-products.ts';
import type { PeerHealth } from '../../src/engine/examine/peer-health.ts';
import type { Evidence } from '../../src/engine/examine/seen.ts';
import { holdersAmong } from '../../src/engine/system/network/address-holders.ts';
import { clusterStatus } from '../../src/operate/status/collect-cluster-status.ts';
import { knownVips } from '../../src/vip/status/vip-holders.ts';
import {
  haproxyMonitorSays,
  haproxySupervisorSays,
  keepalivedMonitorSays,
  keepalivedSupervisorSays,
  podProxySays,
  routerSays,
} from './status-samples.ts';
import { type ClusterStatus, type NodeStatus, seen } from './status-types.ts';

type Server = NonNullable<NodeStatus['servers']>[number];
type Program = NodeStatus['programs'][number];

const ports: Readonly<Record<Program['name'], number>> = {
  router: 1_936,
  'pod-proxy': 29_452,
  'haproxy-supervisor': 29_449,
  'haproxy-monitor': 29_446,
  'keepalived-supervisor': 29_448,
  'keepalived-monitor': 29_447,
};

export function program(name: Program['name'], state: Program['state'] = 'answers'): Program {
  const address = `127.0.0.1:${ports[name]}`;
  const problem = state === 'silent' ? 'nothing listens there' : null;
  return { name, state, address: state === 'not-asked' ? null : address, problem };
}

export function server(name: string, part: Partial<Server> = {}): Server {
  return {
    name,
    address: `10.0.0.1${name.at(-1)}:6443`,
    state: 'up',
    sinceMs: 8_000_000,
    sessions: 140,
    check: 'L7OK/200 in 3ms: Layer7 check passed',
    ...part,
  };
}

/** The healthy holder cp-1 in a group of three. */
export const healthyHere: NodeStatus = {
  at: '2026-11-21T03:12:44.120Z',
  node: 'cp-1',
  programs: [
    program('haproxy-supervisor'),
    program('haproxy-monitor'),
    program('keepalived-supervisor'),
    program('keepalived-monitor'),
  ],
  haproxySupervisor: haproxySupervisorSays,
  haproxyMonitor: haproxyMonitorSays,
  keepalivedSupervisor: keepalivedSupervisorSays,
  keepalivedMonitor: keepalivedMonitorSays,
  servers: [server('cp-1'), server('cp-2'), server('cp-3')],
};

/** A router's pod, where none of a node's own pods runs. */
export const routerHere: NodeStatus = {
  at: '2026-11-21T03:12:44.120Z',
  node: 'router-1',
  programs: [program('router')],
  haproxySupervisor: null,
  haproxyMonitor: null,
  keepalivedSupervisor: null,
  keepalivedMonitor: null,
  servers: null,
  router: routerSays,
};

/** A pod proxy's pod: HAProxy's supervisor has no instance name there. */
export const podProxyHere: NodeStatus = {
  at: '2026-11-21T03:12:44.120Z',
  node: 'haproxy-7d9f-x2x4k',
  programs: [program('haproxy-supervisor'), program('pod-proxy')],
  haproxySupervisor: haproxySupervisorSays,
  haproxyMonitor: null,
  servers: null,
  keepalivedSupervisor: null,
  keepalivedMonitor: null,
  podProxy: podProxySays,
};

/** The same node with these programs silent. */
export function without(node: NodeStatus, ...names: readonly Program['name'][]): NodeStatus {
  const gone = (name: Program['name']): boolean => names.includes(name);
  return {
    ...node,
    programs: node.programs.map((each) => (gone(each.name) ? program(each.name, 'silent') : each)),
    haproxySupervisor: gone('haproxy-supervisor') ? null : node.haproxySupervisor,
    haproxyMonitor: gone('haproxy-monitor') ? null : node.haproxyMonitor,
    keepalivedSupervisor: gone('keepalived-supervisor') ? null : node.keepalivedSupervisor,
    keepalivedMonitor: gone('keepalived-monitor') ? null : node.keepalivedMonitor,
  };
}

export const readyPeers: readonly PeerHealth[] = ['cp-2', 'cp-3'].map((name) => ({
  name,
  address: `10.0.0.1${name.at(-1)}`,
  health: 'ready',
}));

export const vip = '10.0.0.100';
export const holdsHere: Evidence = { ownAddresses: new Set(['10.0.0.11', vip]), holders: () => [] };
const macs = ['02:00:00:00:00:12', '02:00:00:00:00:13', '02:00:00:00:00:99'] as const;

/** What the kernel knows while this node, a stranger or no host answers for the VIP. */
export function answeredBy(holder: 'cp-2' | 'cp-3' | 'free' | 'a stranger'): Evidence {
  const mac = { 'cp-2': macs[0], 'cp-3': macs[1], 'a stranger': macs[2], free: undefined }[holder];
  const table = [
    { address: '10.0.0.12', mac: macs[0] },
    ...['10.0.0.13', 'fe80::13'].map((address) => ({ address, mac: macs[1] })),
    ...(mac === undefined ? [] : [{ address: vip, mac }]),
  ];
  return { ownAddresses: new Set(['10.0.0.11']), holders: holdersAmong(table, table, readyPeers) };
}

/** A backup: the status of cp-1 while another node holds the VIP. */
export const backupHere: NodeStatus = {
  ...healthyHere,
  keepalivedSupervisor: {
    ...keepalivedSupervisorSays,
    instances: [
      {
        name: 'API',
        state: 'BACKUP',
        priority: 220,
        sinceMs: 34_000,
        vips: [{ address: vip, present: false }],
      },
    ],
    trackFiles: [],
    lastTransition: {
      instance: 'API',
      from: 'MASTER',
      to: 'BACKUP',
      priority: 220,
      agoMs: 34_000,
      reason: 'a node with a higher priority took over, or the address was removed',
    },
  },
  keepalivedMonitor: {
    ...keepalivedMonitorSays,
    priorities: keepalivedMonitorSays.priorities.map((vipPriority) => ({
      ...vipPriority,
      value: 0,
      holder: false,
      priority: 220,
      priorityTerms: vipPriority.priorityTerms.slice(0, 2),
    })),
  },
};

export function statusOf(
  here: NodeStatus,
  evidence: Evidence = holdsHere,
  looks: readonly PeerHealth[] = readyPeers,
): ClusterStatus {
  return seen(clusterStatus(here, knownVips(here, [{ vip, kind: 'api' }]), looks, evidence, statusProducts));
}
