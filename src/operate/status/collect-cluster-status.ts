import { existsSync } from 'node:fs';
import { READY_PATH } from '../../cli/shared-flags.ts';
import { askProgram } from '../../engine/examine/ask-program.ts';
import { askPeers, type Peer, type PeerHealth } from '../../engine/examine/peer-health.ts';
import { type Problem, problem, problemsAmong, worstFirst } from '../../engine/examine/problem.ts';
import type { Evidence, SeenCluster, SeenNode, SeenPeer } from '../../engine/examine/seen.ts';
import { findHolders } from '../../engine/system/network/address-holders.ts';
import type { PageAddress } from '../../engine/system/network/ask-page.ts';
import { presentAddresses } from '../../engine/system/network/interface-addresses.ts';
import { layout } from '../install/layout.ts';
import type { ClusterStatus } from './node-status.ts';
import { answersHere, productsAt } from './place.ts';
import type { ProductStatus, VipName } from './product-status.ts';
import type { StatusSettings } from './status-settings.ts';

/** The pages of this node's programs. */
export interface StatusEndpoints {
  /** This node's name, where the group that it is in does not have it under another one. */
  readonly node: string;
  /** By the name of each program that is asked; undefined where it serves no page (`--listen off`). */
  readonly pages: Readonly<Record<string, PageAddress | undefined>>;
  /** HAProxy's statistics, on loopback. */
  readonly statPort: number;
  /** hawser install was here: the programs of nodes are expected even where none of them answers. */
  readonly isInstalled: boolean;
}

/**
 * Everything that the products' programs of this node say at this moment; what is silent is null. The fields of what runs in a pod of
 * its own are there only where that is. All are asked at once: a program answers within a few milliseconds, on a starved node within a
 * second. Never rejects.
 */
export async function collectNodeStatus(
  places: StatusEndpoints,
  products: readonly ProductStatus[],
  signal: AbortSignal,
  timeoutMs: number,
): Promise<SeenNode> {
  const limits = { timeoutMs, signal };
  const at = new Date().toISOString();
  const asked = products.flatMap(({ look }) => look.programs).filter(({ name }) => name in places.pages);
  const [answered, others] = await Promise.all([
    Promise.all(
      asked.map(async (each) => ({
        asked: each,
        ...(await askProgram(each.name, places.pages[each.name], each.schema, limits)),
      })),
    ),
    Promise.all(products.map(({ look }) => look.others?.read(places.statPort, limits))),
  ]);
  const answers = answersHere(answered, products, places.isInstalled);
  const ofNodes = products
    .filter(({ look }) => look.home.kind === 'node')
    .flatMap(({ look }) => look.programs);
  const said: SeenNode = {
    at,
    node: places.node,
    programs: answers.map(({ program }) => program),
    ...Object.fromEntries(ofNodes.map(({ field }) => [field, null])),
    ...Object.fromEntries(answers.map(({ asked: { field }, status }) => [field, status])),
  };
  Object.assign(said, ...products.map((product, index) => product.look.others?.fields(others[index], said)));
  const names = products.map(({ look }) => look.group?.(said).nodeName);
  return { ...said, node: names.find((name) => name !== undefined) ?? places.node };
}

/** Of the time that this node's programs have. */
const PEERS_SHARE = 0.5;
const TABLE_WITHIN_MS = 150;

/** Everything that this node can find out about itself and the others. Never rejects. */
export async function collectClusterStatus(
  settings: Omit<StatusSettings, 'watch' | 'json' | 'serve' | 'journal'>,
  products: readonly ProductStatus[],
  signal: AbortSignal,
): Promise<ClusterStatus> {
  const { apiVips, ingressVips, statPort, healthPort, nodeName: node, pages, worker, timeout } = settings;
  const places = { node, pages, statPort, isInstalled: existsSync(layout.record) };
  const here = await collectNodeStatus(places, products, signal, timeout);
  const ofKind = (kind: VipName['kind'], vips: readonly string[]) => vips.map((vip) => ({ vip, kind }));
  // For when no program says it.
  const configured = [...ofKind('api', apiVips), ...ofKind('ingress', ingressVips)];
  const ownAddresses = presentAddresses();
  const reading = products.find(({ look }) => look.vips !== undefined)?.look.vips;
  const vips = reading?.known(here, configured) ?? configured;
  const elsewhere = vips.flatMap(({ vip }) => (ownAddresses.has(vip) ? [] : vip));
  // Other nodes do not matter to a worker, and theirs may have no HAProxy.
  const peers = worker ? [] : knownPeers(here, products, ownAddresses);
  // At once: the kernel learns the peers' MACs from the connections to them.
  const [looks, holders] = await Promise.all([
    askPeers(
      peers,
      { port: healthPort, path: READY_PATH },
      { timeoutMs: Math.round(timeout * PEERS_SHARE), signal },
    ),
    findHolders(elsewhere, peers, TABLE_WITHIN_MS),
  ]);
  return clusterStatus(here, vips, looks, { ownAddresses, holders }, products);
}

/** The other nodes, as the last product knows them that does: the VIP's group knows more than a list of API servers. */
function knownPeers(
  here: SeenNode,
  products: readonly ProductStatus[],
  ownAddresses: ReadonlySet<string>,
): readonly Peer[] {
  const known =
    products.map(({ look }) => look.group?.(here).peers).findLast((peers) => peers !== undefined) ?? [];
  return known.filter(({ address }) => !ownAddresses.has(address));
}

/** All problems, worst first. The verdict is unknown if no program answered. */
function judge(
  status: SeenCluster<SeenNode>,
  products: readonly ProductStatus[],
): Pick<ClusterStatus, 'verdict' | 'problems'> {
  const { here, peers } = status;
  const silent = here.programs.filter(({ state }) => state === 'silent');
  if (!isHawserHere(here, products)) {
    const [first] = silent;
    const detail = first === undefined ? '' : ` (${first.name} at ${first.address}: ${first.problem})`;
    const silence = `no program of hawser answers on ${here.node}${detail}`;
    return { verdict: 'unknown', problems: [silence] };
  }
  const problems = worstFirst([
    ...productsAt(here, products).flatMap(({ problems }) => problems(status)),
    ...silent.map(({ name, address, problem: why }) =>
      problem('program', `${name} does not answer at ${address}: ${why}`),
    ),
    ...problemsAmong(peers.map(peerProblem)),
  ]);
  return {
    verdict: problems.length === 0 ? 'healthy' : 'degraded',
    problems: problems.map(({ text }) => text),
  };
}

function isHawserHere(here: SeenNode, products: readonly ProductStatus[]): boolean {
  const isThere = products.some(({ look }) => look.others?.isThere(here));
  return isThere || here.programs.some(({ state }) => state === 'answers');
}

function peerProblem({ name, address, health }: SeenPeer): Problem | false {
  const found = health === 'not-ready' ? 'is not ready' : 'does not answer';
  return health !== 'ready' && problem('redundancy', `${name}: its HAProxy (${address}) ${found} from here`);
}

/** Everything that was seen, put together and judged. */
export function clusterStatus(
  here: SeenNode,
  vips: readonly VipName[],
  looks: readonly PeerHealth[],
  evidence: Evidence,
  products: readonly ProductStatus[],
): ClusterStatus {
  const reading = products.find(({ look }) => look.vips !== undefined)?.look.vips;
  const heldBy = (name: string): readonly string[] =>
    vips.flatMap(({ vip }) => (evidence.holders(vip).some(({ node }) => node?.name === name) ? vip : []));
  const peers = looks.map(({ peer, health }) => ({ ...peer, health, holds: heldBy(peer.name) }));
  const status = {
    v: 1 as const,
    vips: vips.map((vip) => reading?.status(vip, here, peers, evidence) ?? { ...vip, holders: [] }),
    here,
    peers,
  };
  return { ...status, ...judge(status, products) };
}
