import * as z from 'zod/mini';
import { askProgram } from '../../engine/examine/ask-program.ts';
import { observePeers } from '../../engine/peers/observe-peers.ts';
import { peerQuestion } from '../../engine/peers/peer-question.ts';
import { presentAddresses } from '../../engine/system/network/interface-addresses.ts';
import type { RankedPeer } from '../group/vrrp.ts';
import {
  type KeepalivedMonitorStatus,
  keepalivedMonitorStatusSchema,
  LOCAL_API_CHECK,
  PEERS_CHECK,
} from '../settings/keepalived-monitor-status.ts';
import type { SteeredVip, SteeringFacts } from './steering-plan.ts';
import type { SteeringEndpoints } from './steering-settings.ts';

const PAGE_TIMEOUT_MS = 2_000;
const PEER_TIMEOUT_MS = 1_000;

/** What of a peer's published status is read. */
const publishedSchema = z.object({
  v: z.literal(1),
  keepalivedMonitor: z.nullable(keepalivedMonitorStatusSchema),
});

type MonitorReading =
  | { readonly kind: 'answered'; readonly status: KeepalivedMonitorStatus }
  | { readonly kind: 'silent'; readonly message: string };

/** Asks the monitor, the only process that carries out orders. */
export async function askMonitor({
  keepalivedMonitor,
}: Pick<SteeringEndpoints, 'keepalivedMonitor'>): Promise<MonitorReading> {
  const options = { timeoutMs: PAGE_TIMEOUT_MS, signal: new AbortController().signal };
  const schema = keepalivedMonitorStatusSchema;
  const answer = await askProgram('keepalived-monitor', keepalivedMonitor, schema, options);
  if (answer.status !== null) return { kind: 'answered', status: answer.status };
  const { address, problem } = answer.program;
  const message = `Cannot ask the keepalived monitor at ${address}: ${problem}, expected it to run: it carries out the orders`;
  return { kind: 'silent', message };
}

/**
 * What the monitor's answer means for an order. The peers are asked whether they serve, and whether they are drained.
 */
export async function factsOf(
  status: KeepalivedMonitorStatus,
  places: Pick<SteeringEndpoints, 'healthPort' | 'peers'>,
): Promise<SteeringFacts> {
  const self = status.group.find((node) => node.self)?.name ?? '';
  // The group is that of the API VIP if there is one.
  const grouped = status.priorities[0]?.kind;
  const peers = status.group.filter((node) => !node.self);
  const ready = grouped === 'api' ? await thatCould(peers, places) : [];
  const present = presentAddresses();
  return {
    self,
    vips: status.priorities.map((vipPriority): SteeredVip => {
      const { kind, vips, value, steered } = vipPriority;
      const isApi = kind === 'api';
      // The holder's bonus lasts half a second longer than its role, so the VIP's place decides.
      const holder = vipPriority.holder && vips.every((vip) => present.has(vip));
      return {
        ...{ kind, vips, holder, measured: value !== null, steered: steered ?? undefined },
        troubles: troublesOf(vipPriority),
        othersServe: isApi ? ready.length > 0 : isOk(vipPriority, PEERS_CHECK),
        servingPeers: isApi ? ready : [],
        peers: kind === grouped ? peers : [],
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

/** Only this node's own failures, not those of a local substitute or of its peers. */
function troublesOf({ checks }: VipPriority): readonly string[] {
  return checks
    .filter(({ check, state }) => state !== 'ok' && check !== PEERS_CHECK && check !== LOCAL_API_CHECK)
    .map(({ check, found }) => `${check}: ${found}`);
}

/** The peers whose HAProxy is ready and that publish no order of their own. */
async function thatCould(
  peers: readonly RankedPeer[],
  { healthPort, peers: settings }: Pick<SteeringEndpoints, 'healthPort' | 'peers'>,
): Promise<readonly RankedPeer[]> {
  const question = await peerQuestion(settings, publishedSchema);
  const limits = { timeoutMs: PEER_TIMEOUT_MS, signal: new AbortController().signal };
  const looks = await observePeers(peers, { healthPorts: [healthPort], question }, limits);
  const able = looks.filter(({ health, published }) => health === 'ready' && !isSteered(published));
  return peers.filter(({ name }) => able.some(({ peer }) => peer.name === name));
}

function isSteered(published: z.infer<typeof publishedSchema> | null): boolean {
  const priorities = published?.keepalivedMonitor?.priorities ?? [];
  return priorities.some(({ kind, steered }) => kind === 'api' && steered !== null);
}
