import type { Deployer } from '../../engine/config/deployer.ts';
import { findLiveFile, setAside } from '../../engine/config/live-file.ts';
import { isServed } from '../../engine/config/outcome.ts';
import type { Rendered } from '../../engine/config/set.ts';
import type { ConfigurationParts } from '../../engine/monitor/configuration-loop.ts';
import { deployerOf } from '../../engine/monitor/product-deployer.ts';
import type { RenderResult } from '../../engine/monitor/proposal.ts';
import { messageOf } from '../../engine/system/errors.ts';
import type { ClusterNode } from '../../engine/system/network/cluster-node.ts';
import { monotonicMs } from '../../engine/system/time/monotonic-clock.ts';
import type { Wake } from '../../engine/system/time/wake.ts';
import { buildKeepalivedModel } from '../group/keepalived-model.ts';
import type { KeepalivedModel, KeepalivedSettings, VrrpInput } from '../group/vrrp.ts';
import { listedNames, nextListFact } from '../participation/listed-names.ts';
import type { ListFact } from '../participation/participation.ts';
import { type GoneNodes, nextGone, nextRemovalInMs, peersToServe } from '../participation/peers-to-serve.ts';
import type { RouterIdGuard } from '../segment/router-id-guard.ts';
import type { KeepalivedMonitorObservers } from '../settings/keepalived-monitor-metrics.ts';
import type { KeepalivedMonitorSettings } from '../settings/keepalived-monitor-settings.ts';
import type { KeepalivedMonitorStatus } from '../settings/keepalived-monitor-status.ts';
import { lastRunNodes, type NodeList } from './node-lists.ts';
import { groupOf, vrrpOrigin } from './vrrp-origin.ts';
import { createVrrpRenderer, gatherInput, keepalivedCheck, listedAgain, nodesIn } from './vrrp-proposal.ts';

const LOOK_BACK_MS = 200;

export interface VrrpConfiguration
  extends ConfigurationParts<VrrpInput>,
    Omit<ServedModels, 'offer' | 'settle' | 'forget'> {
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
  const models = createServedModels();
  const listeners: (() => void)[] = [];
  const renderInput = createVrrpRenderer(settings.template, observers);
  let taken: VrrpInput | undefined;
  let rendered: VrrpInput | undefined;
  const notifyAll = (): void => {
    for (const notify of listeners) notify();
  };
  let latest: KeepalivedModel | undefined;
  let listFact: ListFact = { kind: 'none' };
  const controlPlane = createPeerTracker(lastRunNodes(lists, 'api'));
  const allNodes = createPeerTracker(lastRunNodes(lists, 'ingress'));
  /** Without keepalived.conf neither a new supervisor nor a reboot starts keepalived, and no next start uses an older list. */
  const setAsideRemoved = async (): Promise<void> => {
    taken = undefined;
    models.forget();
    for (const { list } of lists) list.markServed(list.latest() ?? []);
    try {
      if (await setAside(await findLiveFile(settings.config)))
        observers.log({ event: 'removed-from-node-list', level: 'warn', path: settings.config });
      observers.once.clear('set-aside');
    } catch (error) {
      const message = messageOf(error);
      if (observers.once.isNew('set-aside', message))
        observers.log({
          event: 'configuration-not-set-aside',
          level: 'error',
          path: settings.config,
          message,
        });
    }
  };
  const deployer = deployerOf<VrrpInput>(
    {
      ...{
        config: settings.config,
        socket: settings.socket,
        check: keepalivedCheck(settings),
        now: monotonicMs,
      },
      origin: ({ set, of }) => vrrpOrigin(of, set.text),
      observe: ({ outcome, version: { of: input } }) => {
        // A node that has gone is in the input for as long as it is forgotten late, and in the lists no more: it is leaving.
        const nodes = { api: nodesIn(lists, 'api'), ingress: nodesIn(lists, 'ingress') };
        const names = new Set([...nodes.api, ...nodes.ingress].map(({ name }) => name));
        const peers = new Set([...input.controlPlane, ...input.allNodes].map(({ name }) => name));
        const leaving = [...peers].filter((name) => !names.has(name)).length || undefined;
        models.settle(isServed(outcome));
        if (isServed(outcome)) {
          for (const { kind, list } of lists) {
            observers.metrics.groupNodes(kind, nodes[kind].length);
            list.markServed(list.latest() ?? []);
          }
          taken = input;
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
      const { input, lookAgainInMs } = await gatherInput(lists, modelSettings, signal);
      const wasRemoved = isRemoval(listFact);
      const seen = {
        standings: lists.map(({ list }) => list.standing()),
        names: input && listedNames(input),
        sameAsLastRun: lists.every(({ list }) => list.isOfLastRun()),
      };
      listFact = nextListFact(listFact, seen, monotonicMs());
      if (input === undefined) return { input, lookAgainInMs };
      if (isRemoval(listFact)) {
        if (!wasRemoved) notifyAll();
        await setAsideRemoved();
        return { input, lookAgainInMs };
      }
      // The guard listens while the peers reload with this node.
      guard.prepare(modelOf(input));
      const [some, all] = [controlPlane(input.controlPlane), allNodes(input.allNodes)];
      const looks = [lookAgainInMs, some.nextInMs, all.nextInMs].filter((ms) => ms !== undefined);
      return {
        input: { ...input, controlPlane: some.nodes, allNodes: all.nodes },
        lookAgainInMs: looks.length === 0 ? undefined : Math.min(...looks),
      };
    },
    render: async (input) => {
      rendered = input;
      const outcome = await renderInput(input);
      if (outcome.kind === 'not-ready') return complain(outcome.reason, observers);
      observers.once.clear('not-ready');
      if (outcome.kind === 'rendered') latest = outcome.model;
      return outcome;
    },
    deployer: {
      ...deployer,
      want: async (set, input, signal) => {
        if (latest !== undefined) models.offer(latest);
        const back = () => (taken && rendered ? listedAgain(lists, taken, rendered) : []);
        await wantUnlessBack(deployer, { set, input }, back, signal);
      },
    },
    ...models,
    view: () => ({
      group: groupOf(models.served(), taken),
      ...deployer.view(),
    }),
    isApplied: () => taken !== undefined && lists.every(({ list }) => list.isUpToDate()),
    list: () => listFact,
    onChange: (listener) => {
      listeners.push(listener);
    },
  };
}

function isRemoval(list: ListFact): boolean {
  return list.kind === 'believed' && list.names === 'others';
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

function modelOf(input: VrrpInput): KeepalivedModel | undefined {
  const outcome = buildKeepalivedModel(input);
  return outcome.kind === 'model' ? outcome.model : undefined;
}

/**
 * Gives up, wherever it is, once a node is `back` that it would forget. A check, or a reload, may wait for a processor for ten seconds:
 * the node hears adverts until then, takes part, and would be a second holder once they stop. The next configuration replaces
 * the file before a supervisor that was too slow reads it.
 */
async function wantUnlessBack(
  deployer: Pick<Deployer<VrrpInput>, 'want'>,
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
    await deployer.want(set, input, signal, tooLate.signal);
  } finally {
    clearInterval(timer);
  }
}

function complain(message: string, { log, once }: KeepalivedMonitorObservers): RenderResult {
  if (once.isNew('not-ready', message)) log({ event: 'group-not-ready', level: 'warn', reason: message });
  return { kind: 'refused', message };
}

/** The model that keepalived runs on, and the one it may be reading now. */
interface ServedModels {
  readonly served: () => KeepalivedModel | undefined;
  /** Names of the instances in which this node may hold a VIP; undefined while none is known. */
  readonly instanceNames: () => ReadonlySet<string> | undefined;
  readonly offer: (model: KeepalivedModel) => void;
  /** Whether the supervisor accepted the offered model. */
  readonly settle: (taken: boolean) => void;
  /** This node has left its group and serves nothing. */
  readonly forget: () => void;
}

function createServedModels(): ServedModels {
  let taken: KeepalivedModel | undefined;
  let offered: KeepalivedModel | undefined;
  return {
    served: () => taken ?? offered,
    instanceNames: () => {
      const names = [taken, offered].flatMap((model) => model?.instances.map(({ name }) => name) ?? []);
      return names.length === 0 ? undefined : new Set(names);
    },
    offer: (model) => {
      offered = model;
    },
    settle: (isTaken) => {
      if (isTaken) taken = offered;
      else offered = taken ?? offered;
    },
    forget: () => {
      taken = undefined;
      offered = undefined;
    },
  };
}
