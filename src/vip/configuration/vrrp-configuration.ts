import { type Applier, createApplier } from '../../engine/apply/applier.ts';
import type { ApplyOutcome } from '../../engine/apply/apply-outcome.ts';
import type { Rendered } from '../../engine/apply/file-set.ts';
import { createChangeRecord } from '../../engine/monitor/change-record.ts';
import type { ConfigurationParts } from '../../engine/monitor/configuration-loop.ts';
import { logForeignFile, logOutcome } from '../../engine/monitor/log-outcome.ts';
import type { RenderResult } from '../../engine/monitor/proposal.ts';
import { monotonicMs } from '../../engine/system/time/monotonic-clock.ts';
import type { Wake } from '../../engine/system/time/wake.ts';
import type { VipKind } from '../../keepalived/vip-kind.ts';
import { buildKeepalivedModel } from '../group/keepalived-model.ts';
import { groupView } from '../group/membership-delay.ts';
import type { KeepalivedModel, KeepalivedSettings, VrrpInput } from '../group/vrrp.ts';
import type { VirtualRouterIdGuard } from '../guards/virtual-router-id-guard.ts';
import type { KeepalivedMonitorObservers } from '../settings/keepalived-monitor-metrics.ts';
import type { KeepalivedMonitorSettings } from '../settings/keepalived-monitor-settings.ts';
import type { KeepalivedMonitorStatus } from '../settings/keepalived-monitor-status.ts';
import { createMembershipSequencer } from './membership.ts';
import type { NodeList } from './node-lists.ts';
import { createServedModels, type ServedModels } from './served-models.ts';
import { groupOf, vrrpOrigin } from './vrrp-origin.ts';
import { createVrrpRenderer, gatherInput, keepalivedCheck, listedAgain, nodesIn } from './vrrp-proposal.ts';

const LOOK_BACK_MS = 200;

export interface VrrpConfiguration
  extends ConfigurationParts<VrrpInput>,
    Omit<ServedModels, 'offer' | 'settle' | 'forget'> {
  /** keepalived's supervisor runs with nodes that an API server has named, not with an old list of an earlier run. */
  readonly isConfirmed: () => boolean;
  readonly view: () => VrrpView;
  /** The list of nodes does not contain this node: it must not take part. */
  readonly isExcluded: () => boolean;
  /** An API server has named the nodes, but the list is not believed yet. */
  readonly isUndecided: () => boolean;
  /** Registers a listener for an exclusion or a confirmation: it must write the health again. */
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
    readonly guard: VirtualRouterIdGuard;
    /** Nobody holds the VIPs of this kind, or their holder sends its adverts here. */
    readonly isVipClear: (kind: VipKind) => boolean;
    readonly observers: KeepalivedMonitorObservers;
  },
): VrrpConfiguration {
  const { wake, lists, modelSettings, guard, observers } = parts;
  const { template, config: configPath, socket: socketPath } = settings;
  const models = createServedModels();
  const changes = createChangeRecord();
  const listeners: (() => void)[] = [];
  const renderInput = createVrrpRenderer(template, observers);
  let taken: VrrpInput | undefined;
  let rendered: VrrpInput | undefined;
  const applier = createApplier({
    configPath,
    check: keepalivedCheck(settings),
    socketPath,
    onForeign: logForeignFile(observers),
  });
  const notifyAll = (): void => {
    for (const notify of listeners) notify();
  };
  const membership = createMembershipSequencer(settings, { onExcluded: notifyAll }, observers);
  let latest: KeepalivedModel | undefined;
  /**
   * The nodes are those of the last run, and whichever of them holds a VIP sends this one its adverts. Asked only before the
   * first configuration of a run.
   */
  const isExpected = (): boolean =>
    lists.every(({ list }) => list.isOfLastRun()) && lists.every(({ kind }) => parts.isVipClear(kind));
  /** Prevents the next start of this node from using an older list. */
  const leave = (): void => {
    taken = undefined;
    models.forget();
    for (const { list } of lists) list.markServed(list.latest() ?? []);
  };
  return {
    wake,
    checkIntervalMs: settings.checkInterval,
    beat: observers.metrics.beat,
    now: monotonicMs,
    next: async (signal) => {
      const found = await gatherInput(lists, modelSettings, signal);
      // The guard listens while the other nodes learn of this one.
      if (found.input !== undefined) guard.prepare(modelOf(found.input));
      const isBelieved = lists.every(({ list }) => list.standing() === 'believed');
      const wanted = await membership.inTurn(found, { isBelieved, isExpected }, signal);
      if (membership.isExcluded()) leave();
      return wanted;
    },
    render: async (input) => {
      rendered = input;
      const outcome = await renderInput(input);
      if (outcome.kind === 'not-ready') return complain(outcome.reason, observers);
      observers.once.clear('not-ready');
      if (!(await guard.admits(outcome.model)))
        return { kind: 'refused', message: guard.taken() ?? 'its virtual router id is taken' };
      if (outcome.kind === 'rendered') latest = outcome.model;
      return outcome;
    },
    applier: {
      ...applier,
      apply: async (text, signal) => {
        if (latest !== undefined) models.offer(latest);
        const back = () => (taken && rendered ? listedAgain(lists, taken, rendered) : []);
        return await applyUnlessBack(applier, text, back, signal);
      },
    },
    observe: (outcome, input, { text }) => {
      const cause = changes.note(vrrpOrigin(input, text), outcome);
      // A node that has gone is in the input for as long as it is forgotten late, and in the lists no more: it is leaving.
      const nodes = { api: nodesIn(lists, 'api'), ingress: nodesIn(lists, 'ingress') };
      const names = new Set([...nodes.api, ...nodes.ingress].map(({ name }) => name));
      const leaving = [...groupView(input).nodes].filter((name) => !names.has(name)).length || undefined;
      logOutcome(outcome, { cause, nodes: names.size, leaving }, observers);
      const isTaken = outcome.kind === 'unchanged' || outcome.kind === 'reloaded';
      models.settle(isTaken);
      if (!isTaken) return;
      for (const { kind, list } of lists) {
        observers.metrics.groupNodes(kind, nodes[kind].length);
        list.markServed(list.latest() ?? []);
      }
      membership.markServed(input);
      taken = input;
      notifyAll();
    },
    ...models,
    view: () => ({
      group: groupOf(models.served(), taken),
      ...changes.view(),
    }),
    isConfirmed: () => taken !== undefined && lists.every(({ list }) => list.isUpToDate()),
    isExcluded: membership.isExcluded,
    isUndecided: () => lists.some(({ list }) => list.standing() === 'undecided'),
    onChange: (listener) => {
      listeners.push(listener);
    },
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
async function applyUnlessBack(
  applier: Applier,
  text: Rendered,
  back: () => readonly string[],
  signal: AbortSignal,
): Promise<ApplyOutcome> {
  const tooLate = new AbortController();
  let nodes: readonly string[] = [];
  const timer = setInterval(() => {
    if (nodes.length === 0) nodes = back();
    if (nodes.length > 0) tooLate.abort();
  }, LOOK_BACK_MS);
  try {
    return await applier.apply(text, AbortSignal.any([signal, tooLate.signal]));
  } catch (error) {
    if (signal.aborted || !tooLate.signal.aborted) throw error;
    const names = nodes.join('", "');
    const message = `The latest list names node "${names}" again, which this configuration would have forgotten`;
    return { kind: 'superseded', message };
  } finally {
    clearInterval(timer);
  }
}

function complain(message: string, { log, once }: KeepalivedMonitorObservers): RenderResult {
  if (once.isNew('not-ready', message)) log({ event: 'group-not-ready', level: 'warn', reason: message });
  return { kind: 'refused', message };
}
