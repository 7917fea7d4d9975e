import { READY_PATH } from '../../cli/shared-flags.ts';
import { askProgram } from '../../engine/examine/ask-program.ts';
import { askPeers } from '../../engine/examine/peer-health.ts';
import { findHolders, type Holder } from '../../engine/system/network/address-holders.ts';
import { presentAddresses } from '../../engine/system/network/interface-addresses.ts';
import type { RankedPeer } from '../group/vrrp.ts';
import {
  type KeepalivedMonitorStatus,
  keepalivedMonitorStatusSchema,
  LOCAL_API_CHECK,
  PEERS_CHECK,
} from '../settings/keepalived-monitor-status.ts';
import type { OrderFacts, VipFacts } from './move-plan.ts';
import type { OrderEndpoints } from './order-settings.ts';

const PAGE_TIMEOUT_MS = 2_000;
const PEER_TIMEOUT_MS = 1_000;

/** Requests the status of the monitor, the only process that executes orders. Resolves with an error message without one. */
export async function askMonitor({
  keepalivedMonitor,
}: Pick<OrderEndpoints, 'keepalivedMonitor'>): Promise<KeepalivedMonitorStatus | string> {
  const options = { timeoutMs: PAGE_TIMEOUT_MS };
  const schema = keepalivedMonitorStatusSchema;
  const { status, program } = await askProgram('keepalived-monitor', keepalivedMonitor, schema, options);
  if (status !== null) return status;
  const { address, problem } = program;
  return `Cannot read the status of the keepalived monitor at ${address}: ${problem}, expected it to run, because it executes the orders`;
}

/** Derives the facts for an order from the monitor's status, and polls the peers' health. A drained peer counts as serving. */
export async function factsOf(
  status: KeepalivedMonitorStatus,
  { healthPort }: Pick<OrderEndpoints, 'healthPort'>,
): Promise<OrderFacts> {
  const self = status.group.find((node) => node.self)?.name ?? '';
  // The status has the group of the API VIP if there is one.
  const groupKind = status.priorities[0]?.kind;
  const peers = status.group.filter((node) => !node.self);
  const ready = groupKind === 'api' ? await readyPeers(peers, healthPort) : [];
  const present = presentAddresses();
  return {
    self,
    group: status.group,
    vips: status.priorities.map((vipPriority): VipFacts => {
      const { kind, vips, value, order } = vipPriority;
      const isApi = kind === 'api';
      // `holder` outlasts the role by half a second, so the VIP must also be on this node.
      const holder = vipPriority.holder && vips.every((vip) => present.has(vip));
      return {
        kind,
        vips,
        holder,
        measured: value !== null,
        order: order ?? undefined,
        troubles: troublesOf(vipPriority),
        othersServe: isApi ? ready.length > 0 : isOk(vipPriority, PEERS_CHECK),
        servingPeers: isApi ? ready : [],
        peers: kind === groupKind ? peers : [],
      };
    }),
    splitBrain: status.splitBrain.map(({ vip }) => vip),
    virtualRouterIdTaken: status.virtualRouterIdTaken ?? undefined,
  };
}

type VipPriority = KeepalivedMonitorStatus['priorities'][number];

function isOk({ checks }: VipPriority, name: string): boolean {
  return checks.some(({ check, state }) => check === name && state === 'ok');
}

/** This node's own failures, without those of the local API server and of the peers. */
function troublesOf({ checks }: VipPriority): readonly string[] {
  return checks
    .filter(({ check, state }) => state !== 'ok' && check !== PEERS_CHECK && check !== LOCAL_API_CHECK)
    .map(({ check, message }) => `${check}: ${message}`);
}

/** The peers whose HAProxy is ready. */
async function readyPeers(peers: readonly RankedPeer[], healthPort: number): Promise<readonly RankedPeer[]> {
  const limits = { timeoutMs: PEER_TIMEOUT_MS, signal: new AbortController().signal };
  const answers = await askPeers(peers, { port: healthPort, path: READY_PATH }, limits);
  return peers.filter((_, index) => answers[index]?.health === 'ready');
}

/** The holder of a VIP, as observed on the segment. */
interface VipHolder {
  readonly here: boolean;
  /** The holder's name in the group; undefined for this node and for a host outside the group. */
  readonly name: string | undefined;
  /** A description of the holder; null if no host answers for the VIP. */
  readonly text: string | null;
}

/** Finds the holder of a VIP. Probes the segment unless the VIP is on this node. Never rejects. */
export async function findHolder(
  vip: string,
  nodes: readonly { readonly name: string; readonly address: string }[],
): Promise<VipHolder> {
  if (presentAddresses().has(vip)) return { here: true, name: undefined, text: 'this node' };
  const [first] = (await findHolders([vip], nodes))(vip);
  return remoteHolder(first);
}

/** Describes the first host that answers for the VIP, which may be outside the group. */
export function remoteHolder(
  first: Holder<{ readonly name: string; readonly address: string }> | undefined,
): VipHolder {
  if (first === undefined) return { here: false, name: undefined, text: null };
  const { mac, node } = first;
  const text = node === undefined ? `an unknown node (${mac})` : `${node.name} (${node.address})`;
  return { here: false, name: node?.name, text };
}
