import { findLiveFile, setAside } from '../../engine/config/live-file.ts';
import { isServed } from '../../engine/config/outcome.ts';
import type { ConfigurationParts } from '../../engine/monitor/configuration-loop.ts';
import type { Origin } from '../../engine/monitor/last-change.ts';
import { deployerOf } from '../../engine/monitor/product-deployer.ts';
import type { RenderResult } from '../../engine/monitor/proposal.ts';
import { createRenderer } from '../../engine/monitor/renderer.ts';
import { messageOf } from '../../engine/system/errors.ts';
import { addressIn } from '../../engine/system/network/address-text.ts';
import type { ClusterNode } from '../../engine/system/network/cluster-node.ts';
import { runCommand } from '../../engine/system/process/run-command.ts';
import { monotonicMs } from '../../engine/system/time/monotonic-clock.ts';
import type { Wake } from '../../engine/system/time/wake.ts';
import { createKeepalivedCheck } from '../../keepalived/check-configuration.ts';
import { buildKeepalivedModel } from '../group/keepalived-model.ts';
import { printableKeepalived } from '../group/printable-keepalived.ts';
import type { KeepalivedModel, KeepalivedSettings, VrrpInput } from '../group/vrrp.ts';
import {
  type GoneNodes,
  isListedElsewhere,
  listedNames,
  nextGone,
  nextListFact,
  nextRemovalInMs,
  peersToServe,
} from '../participation/listed-nodes.ts';
import type { ListFact } from '../participation/participation.ts';
import type { RouterIdGuard } from '../segment/router-id-guard.ts';
import type { KeepalivedMonitorObservers } from '../settings/keepalived-monitor-metrics.ts';
import type { KeepalivedMonitorSettings } from '../settings/keepalived-monitor-settings.ts';
import type { KeepalivedMonitorStatus } from '../settings/keepalived-monitor-status.ts';
import { abortable } from './abortable-deployer.ts';
import {
  gatherInput,
  gatherLastRun,
  LEFT_OUT,
  lastRunNodes,
  type NodeList,
  nodesIn,
  whyOutdated,
} from './node-lists.ts';

/** A check takes 40 ms on an idle machine, and seconds on a loaded one. */
const CHECK = { timeoutMs: 20_000, run: runCommand };

export interface VrrpConfiguration extends ConfigurationParts<VrrpInput> {
  /** The model that keepalived runs; before the first one is accepted, the one that is being deployed. */
  readonly served: () => KeepalivedModel | undefined;
  /** True if keepalived runs with the latest lists from an API server, not with lists of an earlier run. */
  readonly isApplied: () => boolean;
  readonly list: () => ListFact;
  /** True while the last accepted lists give this node only addresses that it does not have. */
  readonly isListedElsewhere: () => boolean;
  readonly view: () => VrrpView;
  /** Registers a listener for a removal of this node or a reload. Participation must then be decided again. */
  readonly onChange: (listener: () => void) => void;
}

type VrrpView = Pick<KeepalivedMonitorStatus, 'group' | 'configSha256' | 'lastChange'>;

/**
 * The parts of the configuration loop for keepalived.conf: rendered from the node lists, validated by keepalived, applied by its
 * supervisor.
 */
export function vrrpConfiguration(
  settings: KeepalivedMonitorSettings,
  parts: {
    readonly wake: Wake;
    readonly lists: readonly NodeList[];
    readonly modelSettings: KeepalivedSettings;
    readonly guard: Pick<RouterIdGuard, 'prepare'>;
    readonly observers: KeepalivedMonitorObservers;
  },
): VrrpConfiguration {
  const { wake, lists, modelSettings, guard, observers } = parts;
  const listeners: (() => void)[] = [];
  const renderModel = createRenderer(settings.template, printableKeepalived, observers);
  /** The version that keepalived runs, else the one that is being deployed. */
  let served: Version | undefined;
  let isAccepted = false;
  const notifyAll = (): void => {
    for (const notify of listeners) notify();
  };
  let listFact: ListFact = { kind: 'none' };
  let isElsewhere = false;
  const sources = () => served?.model.instances.map(({ sourceAddress }) => sourceAddress) ?? [];
  const controlPlane = createPeerTracker(lastRunNodes(lists, 'api'));
  const allNodes = createPeerTracker(lastRunNodes(lists, 'ingress'));
  /** A model that is not ready for a moment keeps the guard's verdict. */
  const prepareGuard = (input: VrrpInput | undefined): void => {
    const model = input && versionOf(input)?.model;
    if (model !== undefined) guard.prepare(model);
  };
  /** Without keepalived.conf, no new supervisor and no reboot starts keepalived with an outdated list. */
  const setAsideRemoved = async (): Promise<void> => {
    [served, isAccepted] = [undefined, false];
    abortableDeployer.withdraw(LEFT_OUT);
    for (const { list } of lists) list.markServed(list.latest() ?? []);
    try {
      if (await setAside(await findLiveFile(settings.config)))
        observers.log({ event: 'removed-from-node-list', level: 'warn', path: settings.config });
      observers.once.clear('set-aside');
    } catch (error) {
      const message = messageOf(error);
      const event = 'configuration-not-set-aside';
      if (observers.once.isNew('set-aside', message))
        observers.log({ event, level: 'error', path: settings.config, message });
    }
  };
  const deployer = deployerOf<VrrpInput>(
    {
      config: settings.config,
      socket: settings.socket,
      check: createKeepalivedCheck({ ...CHECK, keepalivedPath: settings.keepalived }),
      now: monotonicMs,
      origin: ({ set, of }) => vrrpOrigin(of, set.text),
      observe: ({ outcome, version: { of: input } }) => {
        // A leaving node is no longer listed, but stays in the input until its removal applies.
        const nodes = { api: nodesIn(lists, 'api'), ingress: nodesIn(lists, 'ingress') };
        const names = new Set([...nodes.api, ...nodes.ingress].map(({ name }) => name));
        const peers = new Set([...input.controlPlane, ...input.allNodes].map(({ name }) => name));
        const leaving = [...peers].filter((name) => !names.has(name)).length || undefined;
        if (isServed(outcome)) {
          for (const { kind, list } of lists) {
            observers.metrics.groupNodes(kind, nodes[kind].length);
            list.markServed(list.latest() ?? []);
          }
          [served, isAccepted] = [versionOf(input), true];
          notifyAll();
        }
        return { nodes: names.size, leaving };
      },
    },
    observers,
  );
  const abortableDeployer = abortable(deployer);
  return {
    wake,
    checkIntervalMs: settings.checkInterval,
    beat: observers.metrics.beat,
    now: monotonicMs,
    next: async (signal) => {
      const { input, recheckInMs } = await gatherInput(lists, modelSettings, signal);
      const wasRemoved = isRemoval(listFact);
      const observed = {
        standings: lists.map(({ list }) => list.standing()),
        names: input && listedNames(input),
        sameAsLastRun: lists.every(({ list }) => list.isFromLastRun()),
      };
      listFact = nextListFact(listFact, observed, monotonicMs());
      // The guard listens while the list settles and the peers reload with this node.
      if (input === undefined) {
        prepareGuard(await gatherLastRun(lists, modelSettings));
        return { input, recheckInMs };
      }
      if (listFact.kind === 'accepted') isElsewhere = isListedElsewhere(input, isAccepted ? sources() : []);
      if (isRemoval(listFact)) {
        if (!wasRemoved) notifyAll();
        guard.prepare(undefined);
        await setAsideRemoved();
        return { input, recheckInMs };
      }
      prepareGuard(input);
      const api = controlPlane(input.controlPlane);
      const ingress = allNodes(input.allNodes);
      const rechecksMs = [recheckInMs, api.nextInMs, ingress.nextInMs].filter((ms) => ms !== undefined);
      return {
        input: { ...input, controlPlane: api.nodes, allNodes: ingress.nodes },
        recheckInMs: rechecksMs.length === 0 ? undefined : Math.min(...rechecksMs),
      };
    },
    render: async (input) => {
      const built = buildKeepalivedModel(input);
      if (built.kind === 'not-ready') return notReady(built.reason, observers);
      observers.once.clear('not-ready');
      return await renderModel(built.model);
    },
    deployer: {
      ...deployer,
      deploy: async (set, input, signal) => {
        if (!isAccepted) served = versionOf(input);
        const outdated = () => whyOutdated(lists, isAccepted ? served?.input : undefined, input);
        await abortableDeployer.deploy({ set, input }, outdated, signal);
      },
    },
    served: () => served?.model,
    view: () => ({ group: isAccepted && served ? groupOf(served) : [], ...deployer.view() }),
    isApplied: () => isAccepted && lists.every(({ list }) => list.isUpToDate()),
    list: () => listFact,
    isListedElsewhere: () => isElsewhere,
    onChange: (listener) => {
      listeners.push(listener);
    },
  };
}

function isRemoval(list: ListFact): boolean {
  return list.kind === 'accepted' && list.names === 'others';
}

/** Returns a function that takes each new list and returns keepalived's peers. `before`: the nodes of the last run. */
function createPeerTracker(before: readonly ClusterNode[]) {
  let last = before;
  let gone: GoneNodes = new Map();
  return (listed: readonly ClusterNode[]) => {
    const now = monotonicMs();
    gone = nextGone(gone, last, listed, now);
    last = listed;
    return { nodes: peersToServe(listed, gone), nextInMs: nextRemovalInMs(gone, now) };
  };
}

/** A model and the input it was built from. */
interface Version {
  readonly input: VrrpInput;
  readonly model: KeepalivedModel;
}

function versionOf(input: VrrpInput): Version | undefined {
  const built = buildKeepalivedModel(input);
  return built.kind === 'model' ? { input, model: built.model } : undefined;
}

function notReady(message: string, { log, once }: KeepalivedMonitorObservers): RenderResult {
  if (once.isNew('not-ready', message)) log({ event: 'group-not-ready', level: 'warn', reason: message });
  return { kind: 'refused', message };
}

/**
 * The inputs of a keepalived.conf, to name what changed. VIPs are excluded from the interfaces' addresses, because a failover is not
 * a network change.
 */
function vrrpOrigin(
  { settings, controlPlane, allNodes, interfaces, routes }: VrrpInput,
  text: string,
): Origin {
  const vips = new Set([...settings.apiVips, ...settings.ingressVips]);
  const network = interfaces.map(({ name, addresses }) => {
    return [name, addresses.filter((cidr) => !vips.has(addressIn(cidr)))];
  });
  return {
    text,
    parts: {
      'nodes-changed': JSON.stringify([listOf(controlPlane), listOf(allNodes)]),
      'network-changed': JSON.stringify([network, routes]),
    },
  };
}

function listOf(nodes: readonly ClusterNode[]): readonly string[] {
  return nodes.map(({ name, addresses }) => `${name} ${addresses.join(' ')}`).sort();
}

/** The nodes that share the API VIP, or the ingress VIP if there is no API VIP, by descending priority. */
function groupOf({ model, input }: Version): KeepalivedMonitorStatus['group'] {
  const [instance] = model.instances;
  if (instance === undefined) return [];
  const { kind, sourceAddress, priority, peers } = instance;
  const nodes = kind === 'api' ? input.controlPlane : input.allNodes;
  const listed = nodes.find(({ addresses }) => addresses.includes(sourceAddress));
  const self = { name: listed?.name ?? input.settings.nodeName, address: sourceAddress, priority };
  return [{ ...self, self: true }, ...peers.map((peer) => ({ ...peer, self: false }))].toSorted(
    (a, b) => b.priority - a.priority,
  );
}
