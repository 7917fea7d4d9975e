import type { Deployer } from '../../engine/config/deployer.ts';
import { findLiveFile, setAside } from '../../engine/config/live-file.ts';
import { isServed } from '../../engine/config/outcome.ts';
import type { Rendered } from '../../engine/config/set.ts';
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
import { gatherInput, lastRunNodes, listedAgain, type NodeList, nodesIn } from './node-lists.ts';

/** A loaded machine takes seconds for what takes 40 ms at rest. */
const CHECK = { timeoutMs: 20_000, run: runCommand };
const LOOK_BACK_MS = 200;

export interface VrrpConfiguration extends ConfigurationParts<VrrpInput> {
  /** The model that keepalived runs on; before the first, the one that it is given. */
  readonly served: () => KeepalivedModel | undefined;
  /** keepalived's supervisor runs with nodes that an API server has named, not with an old list of an earlier run. */
  readonly isApplied: () => boolean;
  readonly list: () => ListFact;
  readonly view: () => VrrpView;
  /** Registers a listener for a removal, or a reload: participation must be decided again. */
  readonly onChange: (listener: () => void) => void;
}

type VrrpView = Pick<KeepalivedMonitorStatus, 'group' | 'configSha256' | 'lastChange'>;

/**
 * keepalived.conf for the configuration loop: rendered from the lists of nodes, checked by keepalived, applied by its
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
  /** What keepalived runs on, else what it is given first. */
  let served: Version | undefined;
  let isTaken = false;
  const notifyAll = (): void => {
    for (const notify of listeners) notify();
  };
  let listFact: ListFact = { kind: 'none' };
  const controlPlane = createPeerTracker(lastRunNodes(lists, 'api'));
  const allNodes = createPeerTracker(lastRunNodes(lists, 'ingress'));
  /** Without keepalived.conf neither a new supervisor nor a reboot starts keepalived, and no next start uses an older list. */
  const setAsideRemoved = async (): Promise<void> => {
    [served, isTaken] = [undefined, false];
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
        // A node that has gone is in the input for as long as it is forgotten late, and in the lists no more: it is leaving.
        const nodes = { api: nodesIn(lists, 'api'), ingress: nodesIn(lists, 'ingress') };
        const names = new Set([...nodes.api, ...nodes.ingress].map(({ name }) => name));
        const peers = new Set([...input.controlPlane, ...input.allNodes].map(({ name }) => name));
        const leaving = [...peers].filter((name) => !names.has(name)).length || undefined;
        if (isServed(outcome)) {
          for (const { kind, list } of lists) {
            observers.metrics.groupNodes(kind, nodes[kind].length);
            list.markServed(list.latest() ?? []);
          }
          [served, isTaken] = [versionOf(input), true];
          notifyAll();
        }
        return { nodes: names.size, leaving };
      },
    },
    observers,
  );
  return {
    wake,
    checkIntervalMs: settings.checkInterval,
    beat: observers.metrics.beat,
    now: monotonicMs,
    next: async (signal) => {
      const { input, recheckInMs } = await gatherInput(lists, modelSettings, signal);
      const wasRemoved = isRemoval(listFact);
      const seen = {
        standings: lists.map(({ list }) => list.standing()),
        names: input && listedNames(input),
        sameAsLastRun: lists.every(({ list }) => list.isFromLastRun()),
      };
      listFact = nextListFact(listFact, seen, monotonicMs());
      if (input === undefined) return { input, recheckInMs };
      if (isRemoval(listFact)) {
        if (!wasRemoved) notifyAll();
        await setAsideRemoved();
        return { input, recheckInMs };
      }
      // The guard listens while the peers reload with this node.
      guard.prepare(versionOf(input)?.model);
      const some = controlPlane(input.controlPlane);
      const all = allNodes(input.allNodes);
      const looks = [recheckInMs, some.nextInMs, all.nextInMs].filter((ms) => ms !== undefined);
      return {
        input: { ...input, controlPlane: some.nodes, allNodes: all.nodes },
        recheckInMs: looks.length === 0 ? undefined : Math.min(...looks),
      };
    },
    render: async (input) => {
      const built = buildKeepalivedModel(input);
      if (built.kind === 'not-ready') return complain(built.reason, observers);
      observers.once.clear('not-ready');
      return await renderModel(built.model);
    },
    deployer: {
      ...deployer,
      deploy: async (set, input, signal) => {
        if (!isTaken) served = versionOf(input);
        const back = () => (isTaken && served ? listedAgain(lists, served.input, input) : []);
        await deployUnlessBack(deployer, { set, input }, back, signal);
      },
    },
    served: () => served?.model,
    view: () => ({ group: isTaken && served ? groupOf(served) : [], ...deployer.view() }),
    isApplied: () => isTaken && lists.every(({ list }) => list.isUpToDate()),
    list: () => listFact,
    onChange: (listener) => {
      listeners.push(listener);
    },
  };
}

function isRemoval(list: ListFact): boolean {
  return list.kind === 'accepted' && list.names === 'others';
}

/** Takes each list in turn, and gives the nodes that keepalived gets as peers. `before`: of the last run. */
function createPeerTracker(before: readonly ClusterNode[]) {
  let last = before;
  let gone: GoneNodes = new Map();
  return (listed: readonly ClusterNode[]) => {
    const now = monotonicMs();
    gone = nextGone(gone, last, listed, now);
    last = listed;
    return { nodes: peersToServe(listed, gone, now), nextInMs: nextRemovalInMs(gone, now) };
  };
}

/** What a configuration was made from, and its model. */
interface Version {
  readonly input: VrrpInput;
  readonly model: KeepalivedModel;
}

function versionOf(input: VrrpInput): Version | undefined {
  const built = buildKeepalivedModel(input);
  return built.kind === 'model' ? { input, model: built.model } : undefined;
}

/**
 * Gives up, wherever it is, once a node is `back` that it would forget. A check, or a reload, may wait for a processor for ten seconds:
 * the node hears adverts until then, takes part, and would be a second holder once they stop. The next configuration replaces
 * the file before a supervisor that was too slow reads it.
 */
async function deployUnlessBack(
  deployer: Pick<Deployer<VrrpInput>, 'deploy'>,
  { set, input }: { readonly set: Rendered; readonly input: VrrpInput },
  back: () => readonly string[],
  signal: AbortSignal,
): Promise<void> {
  const tooLate = new AbortController();
  const timer = setInterval(() => {
    const nodes = back();
    const message = `The latest list names node "${nodes.join('", "')}" again, which this configuration would have forgotten`;
    if (nodes.length > 0) tooLate.abort(new Error(message));
  }, LOOK_BACK_MS);
  try {
    await deployer.deploy(set, input, signal, tooLate.signal);
  } finally {
    clearInterval(timer);
  }
}

function complain(message: string, { log, once }: KeepalivedMonitorObservers): RenderResult {
  if (once.isNew('not-ready', message)) log({ event: 'group-not-ready', level: 'warn', reason: message });
  return { kind: 'refused', message };
}

/**
 * What a keepalived.conf was made from. VIPs are left out of the interfaces' addresses: they come and go without a
 * change.
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

/** The nodes that share the API VIP (ingress where there is none), the highest priority first. */
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
