import { type ApiServer, endpointOf } from '../../engine/kube/api-server.ts';
import { openApiSession } from '../../engine/kube/api-session.ts';
import { type LookupSettings, type Observation, openSource } from '../../engine/kube/control-plane/source.ts';
import type { KubeconfigFile } from '../../engine/kube/kubeconfig.ts';
import type { NextInput } from '../../engine/monitor/proposal.ts';
import type { Loops } from '../../engine/monitor/run-monitor.ts';
import { openLastKnown } from '../../engine/monitor/servers/last-known.ts';
import { createServerList, type ServerList } from '../../engine/monitor/servers/server-list.ts';
import { createOnce } from '../../engine/observe/once.ts';
import { familyOf } from '../../engine/system/network/address-text.ts';
import type { ClusterNode } from '../../engine/system/network/cluster-node.ts';
import { currentInterfaces, currentRoutes } from '../../engine/system/network/routes.ts';
import type { Wake } from '../../engine/system/time/wake.ts';
import type { VipKind } from '../../keepalived/vip-kind.ts';
import type { KeepalivedSettings, VrrpInput } from '../group/vrrp.ts';
import { listedNames } from '../participation/listed-nodes.ts';
import type { KeepalivedMonitorObservers } from '../settings/keepalived-monitor-metrics.ts';
import type { KeepalivedMonitorSettings } from '../settings/keepalived-monitor-settings.ts';

type NodeListSettings = Pick<
  KeepalivedMonitorSettings,
  'apiVips' | 'ingressVips' | 'lastKnownPath' | 'settle' | 'config' | keyof LookupSettings
>;

/** The nodes of one kind of VIP, with their addresses in one family. */
export interface NodeList {
  readonly kind: VipKind;
  readonly list: ServerList;
  /** The list that an earlier run saved; empty if there is none. */
  readonly lastRun: readonly ApiServer[];
}

/** The nodes of one kind in the lists of an earlier run. */
export function lastRunNodes(lists: readonly NodeList[], kind: VipKind): readonly ClusterNode[] {
  return mergeNodes(lists.flatMap((each) => (each.kind === kind ? [each.lastRun] : [])));
}

/**
 * Opens one list per VIP (control-plane nodes for API VIPs, all nodes for ingress VIPs) and the loops that feed the lists, by kind.
 * Lists of one kind share a source. All of them share one API session, which ends when `signal` aborts.
 */
export async function openNodeLists(
  settings: NodeListSettings,
  { kubeconfig, wake }: { readonly kubeconfig: KubeconfigFile; readonly wake: Wake },
  observers: KeepalivedMonitorObservers,
  signal: AbortSignal,
): Promise<{ readonly lists: readonly NodeList[]; readonly loops: Loops }> {
  const kinds = await Promise.all([
    openKind('api', settings.apiVips, settings, observers),
    openKind('ingress', settings.ingressVips, settings, observers),
  ]);
  const opened = kinds.flat();
  // Nodes of the ingress list are fallback API servers only if there is no control-plane list.
  const [first] = opened;
  const fallbacks = opened
    .filter(({ kind }) => kind === first?.kind)
    .flatMap(({ lastRun }) => lastRun.map(endpointOf));
  const session = openApiSession({ kubeconfig, apiPort: settings.apiPort, fallbacks }, signal);
  const loops = kinds.flatMap((lists): [string, Loops[string]][] => {
    const [one] = lists;
    if (one === undefined) return [];
    // Endpoints name only the API servers that run. A node whose API server restarts stays in the group.
    const nodes = one.kind === 'ingress' ? 'all-nodes' : 'nodes';
    const lookup = { ...settings, source: settings.source === 'static' ? 'static' : nodes } as const;
    const source = openSource(lookup, { session, report: observers.log });
    const readers = lists.map(({ vip, list }) => {
      const observe = (observation: Observation): void => {
        list.observe(observation);
        wake.poke();
      };
      return { vips: [vip], observe };
    });
    return [[`${one.kind} nodes`, (stop) => source(readers, stop)]];
  });
  return { lists: opened, loops: Object.fromEntries(loops) };
}

interface OpenedList extends NodeList {
  readonly vip: string;
}

async function openKind(
  kind: VipKind,
  vips: readonly string[],
  settings: NodeListSettings,
  observers: KeepalivedMonitorObservers,
): Promise<readonly OpenedList[]> {
  return await Promise.all(
    vips.map(async (vip) => {
      // Lists must not clear each other's repeated messages.
      const own = { ...observers, once: createOnce() };
      const saved = await openLastKnown(`${settings.lastKnownPath}.${kind}.${familyOf(vip)}`, own);
      const list = createServerList(settings, saved, own);
      return { kind, vip, list, lastRun: saved.lastKnown ?? [] };
    }),
  );
}

/** Merges the lists into one node per name, with its addresses in every family. */
export function mergeNodes(
  lists: readonly (readonly { readonly name: string; readonly address: string }[])[],
): readonly ClusterNode[] {
  const nodes = new Map<string, readonly string[]>();
  for (const { name, address } of lists.flat()) nodes.set(name, [...(nodes.get(name) ?? []), address]);
  return [...nodes].map(([name, addresses]) => ({ name, addresses }));
}

/** Gathers the input of the model. The input is undefined while a list is unknown. */
export async function gatherInput(
  lists: readonly NodeList[],
  settings: KeepalivedSettings,
  signal: AbortSignal,
): Promise<NextInput<VrrpInput>> {
  const nextLists = await Promise.all(lists.map(({ list }) => list.next(signal)));
  const rechecksMs = nextLists.flatMap((next) => next.recheckInMs ?? []);
  const recheckInMs = rechecksMs.length === 0 ? undefined : Math.min(...rechecksMs);
  if (nextLists.some(({ input }) => input === undefined)) return { input: undefined, recheckInMs };
  const input = await withNetwork(settings, nodesIn(lists, 'api'), nodesIn(lists, 'ingress'));
  return { input, recheckInMs };
}

/** The input as the last run had it; undefined on a first run. */
export async function gatherLastRun(
  lists: readonly NodeList[],
  settings: KeepalivedSettings,
): Promise<VrrpInput | undefined> {
  if (lists.some(({ lastRun }) => lastRun.length === 0)) return undefined;
  return await withNetwork(settings, lastRunNodes(lists, 'api'), lastRunNodes(lists, 'ingress'));
}

async function withNetwork(
  settings: KeepalivedSettings,
  controlPlane: readonly ClusterNode[],
  allNodes: readonly ClusterNode[],
): Promise<VrrpInput> {
  return { settings, controlPlane, allNodes, interfaces: currentInterfaces(), routes: await currentRoutes() };
}

/** The latest nodes of one kind. */
export function nodesIn(lists: readonly NodeList[], kind: VipKind): readonly ClusterNode[] {
  return mergeNodes(lists.flatMap((each) => (each.kind === kind ? [each.list.latest() ?? []] : [])));
}

/** Why nothing is deployed on a removed node. */
export const LEFT_OUT = 'The latest list does not contain this node';

/**
 * Why the latest lists from an API server rule out a deployment of `next` instead of `served`; undefined if they do not. Undefined too
 * while they settle or the loss guard holds them: a deployment that is aborted for such a list would begin again at once.
 */
export function whyOutdated(
  lists: readonly NodeList[],
  served: VrrpInput | undefined,
  next: VrrpInput,
): string | undefined {
  if (isLeftOut(lists, next)) return LEFT_OUT;
  const returned = served === undefined ? [] : listedAgain(lists, served, next);
  if (returned.length === 0) return undefined;
  return `The latest list contains node "${returned.join('", "')}" again, which this configuration would remove`;
}

/** Whether the next look at the lists will find this node removed. */
function isLeftOut(lists: readonly NodeList[], input: VrrpInput): boolean {
  const isAccepted = lists.every(
    ({ list }) => list.standing() === 'accepted' && list.lastObservation()?.kind === 'servers',
  );
  const latestNodes = (kind: VipKind): readonly ClusterNode[] =>
    mergeNodes(lists.flatMap((each) => (each.kind === kind ? [observedIn(each.list)] : [])));
  const latest = { ...input, controlPlane: latestNodes('api'), allNodes: latestNodes('ingress') };
  return isAccepted && listedNames(latest) === 'others';
}

/** Names of the nodes in `served` that `next` would remove although an API server has listed them again. */
function listedAgain(lists: readonly NodeList[], served: VrrpInput, next: VrrpInput): readonly string[] {
  return lists.flatMap(({ kind, list }) => {
    const namesIn = ({ controlPlane, allNodes }: VrrpInput) =>
      new Set((kind === 'api' ? controlPlane : allNodes).map(({ name }) => name));
    const before = namesIn(served);
    const after = namesIn(next);
    return observedIn(list).flatMap(({ name }) => (before.has(name) && !after.has(name) ? name : []));
  });
}

/** The last list from an API server; empty if the last observation is an outage. */
function observedIn(list: ServerList): readonly ApiServer[] {
  const observed = list.lastObservation();
  return observed?.kind === 'servers' ? observed.servers : [];
}
