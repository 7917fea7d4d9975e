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

/** The addresses of this node's programs. */
export interface StatusEndpoints {
  /** This node's name, used if no product reports the name that the other nodes use. */
  readonly node: string;
  /** By program name; undefined if the program serves no page (`--listen off`). */
  readonly pages: Readonly<Record<string, PageAddress | undefined>>;
  /** The port of HAProxy's statistics page on loopback. */
  readonly statPort: number;
  /** Whether hawser is installed on this node. If so, the nodes' programs are expected even if none of them answers. */
  readonly isInstalled: boolean;
}

/**
 * Collects the current status of the products' programs on this node; null for a program that does not answer. Fields of a pod of a
 * Deployment exist only where that pod runs. All programs are requested at once: a program answers within milliseconds, or within a second
 * on a node short of CPU. Never rejects.
 */
export async function collectNodeStatus(
  places: StatusEndpoints,
  products: readonly ProductStatus[],
  signal: AbortSignal,
  timeoutMs: number,
): Promise<SeenNode> {
  const limits = { timeoutMs, signal };
  const at = new Date().toISOString();
  const asked = products.flatMap(({ inputs }) => inputs.programs).filter(({ name }) => name in places.pages);
  const [answered, others] = await Promise.all([
    Promise.all(
      asked.map(async (each) => ({
        asked: each,
        ...(await askProgram(each.name, places.pages[each.name], each.schema, limits)),
      })),
    ),
    Promise.all(products.map(({ inputs }) => inputs.others?.read(places.statPort, limits))),
  ]);
  const answers = answersHere(answered, products, places.isInstalled);
  const ofNodes = products
    .filter(({ inputs }) => inputs.home.kind === 'node')
    .flatMap(({ inputs }) => inputs.programs);
  const node: SeenNode = {
    at,
    node: places.node,
    programs: answers.map(({ program }) => program),
    ...Object.fromEntries(ofNodes.map(({ field }) => [field, null])),
    ...Object.fromEntries(answers.map(({ asked: { field }, status }) => [field, status])),
  };
  Object.assign(
    node,
    ...products.map((product, index) => product.inputs.others?.fields(others[index], node)),
  );
  const names = products.map(({ inputs }) => inputs.group?.(node).nodeName);
  return { ...node, node: names.find((name) => name !== undefined) ?? places.node };
}

/** The share of the timeout that other nodes have to answer. */
const PEERS_SHARE = 0.5;
const NEIGHBOURS_TIMEOUT_MS = 150;

/** Collects the status of this node and what it can observe of the other nodes. Never rejects. */
export async function collectClusterStatus(
  settings: Omit<StatusSettings, 'watch' | 'json' | 'serve' | 'journal'>,
  products: readonly ProductStatus[],
  signal: AbortSignal,
): Promise<ClusterStatus> {
  const { apiVips, ingressVips, statPort, healthPort, nodeName: node, pages, worker, timeout } = settings;
  const places = { node, pages, statPort, isInstalled: existsSync(layout.record) };
  const here = await collectNodeStatus(places, products, signal, timeout);
  const ofKind = (kind: VipName['kind'], vips: readonly string[]) => vips.map((vip) => ({ vip, kind }));
  // The VIPs of the settings, if no program reports VIPs.
  const configured = [...ofKind('api', apiVips), ...ofKind('ingress', ingressVips)];
  const ownAddresses = presentAddresses();
  const reading = products.find(({ inputs }) => inputs.vips !== undefined)?.inputs.vips;
  const vips = reading?.known(here, configured) ?? configured;
  const elsewhere = vips.flatMap(({ vip }) => (ownAddresses.has(vip) ? [] : vip));
  // A worker does not depend on other nodes, and other workers may have no HAProxy.
  const peers = worker ? [] : knownPeers(here, products, ownAddresses);
  // At once, because the kernel learns the peers' MAC addresses from the connections to them.
  const [looks, holders] = await Promise.all([
    askPeers(
      peers,
      { port: healthPort, path: READY_PATH },
      { timeoutMs: Math.round(timeout * PEERS_SHARE), signal },
    ),
    findHolders(elsewhere, peers, NEIGHBOURS_TIMEOUT_MS),
  ]);
  return clusterStatus(here, vips, looks, { ownAddresses, holders }, products);
}

/** The other nodes, from the last product that reports them: the VIP's group has more details than the list of API servers. */
function knownPeers(
  here: SeenNode,
  products: readonly ProductStatus[],
  ownAddresses: ReadonlySet<string>,
): readonly Peer[] {
  const known =
    products.map(({ inputs }) => inputs.group?.(here).peers).findLast((peers) => peers !== undefined) ?? [];
  return known.filter(({ address }) => !ownAddresses.has(address));
}

/** The verdict and all problems, worst first. The verdict is `unknown` if no program answered. */
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
  const isThere = products.some(({ inputs }) => inputs.others?.isThere(here));
  return isThere || here.programs.some(({ state }) => state === 'answers');
}

function peerProblem({ name, address, health }: SeenPeer): Problem | false {
  const found = health === 'not-ready' ? 'is not ready' : 'does not answer';
  return health !== 'ready' && problem('redundancy', `${name}: its HAProxy (${address}) ${found} from here`);
}

/** Combines the observations into a status with its verdict. */
export function clusterStatus(
  here: SeenNode,
  vips: readonly VipName[],
  looks: readonly PeerHealth[],
  evidence: Evidence,
  products: readonly ProductStatus[],
): ClusterStatus {
  const reading = products.find(({ inputs }) => inputs.vips !== undefined)?.inputs.vips;
  const heldBy = (name: string): readonly string[] =>
    vips.flatMap(({ vip }) => (evidence.holders(vip).some(({ node }) => node?.name === name) ? vip : []));
  const peers = looks.map((peer) => ({ ...peer, holds: heldBy(peer.name) }));
  const status = {
    v: 1 as const,
    vips: vips.map((vip) => reading?.status(vip, here, peers, evidence) ?? { ...vip, holders: [] }),
    here,
    peers,
  };
  return { ...status, ...judge(status, products) };
}
