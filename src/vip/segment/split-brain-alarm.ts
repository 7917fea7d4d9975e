import { type Holder, holdersAmong } from '../../engine/system/network/address-holders.ts';
import { type Answer, readNeighbours } from '../../engine/system/network/neighbours.ts';
import { heldInstances } from '../group/local-vrrp-role.ts';
import type { KeepalivedModel, RankedPeer, VrrpInstance } from '../group/vrrp.ts';
import type { KeepalivedMonitorObservers } from '../settings/keepalived-monitor-metrics.ts';
import type { KeepalivedMonitorSettings } from '../settings/keepalived-monitor-settings.ts';
import type { KeepalivedMonitorStatus } from '../settings/keepalived-monitor-status.ts';

export interface SplitBrainAlarm {
  /** The VIPs that another host holds too, with the hosts that answered last. */
  readonly view: () => KeepalivedMonitorStatus['splitBrain'];
  /** The instances in which this node holds the VIP. */
  readonly held: () => readonly VrrpInstance[];
  /** The instances for whose VIP another host has answered. Their peers' MACs are needed to name that host. */
  readonly inDoubt: () => readonly VrrpInstance[];
  /** Takes the answers of one round; undefined if the round failed, which neither begins nor ends a split. */
  readonly observe: (answers: readonly Answer[] | undefined, nowMs: number) => Promise<void>;
}

/**
 * Reports a second holder of a VIP that this node holds. VRRP alone does not detect two holders that cannot hear each other's
 * adverts while clients reach both.
 */
export function createSplitBrainAlarm(
  settings: Pick<KeepalivedMonitorSettings, 'stateFile' | 'vips'>,
  served: () => KeepalivedModel | undefined,
  observers: KeepalivedMonitorObservers,
  neighbours = readNeighbours,
): SplitBrainAlarm {
  const states = new Map<string, { readonly instance: VrrpInstance; readonly state: SplitBrainState }>();
  const stateOf = ({ vip }: VrrpInstance): SplitBrainState => states.get(vip)?.state ?? initialSplitBrain;
  const held = (): readonly VrrpInstance[] => heldInstances(settings.stateFile, served());
  const instances = (): readonly VrrpInstance[] => served()?.instances ?? [];
  for (const vip of settings.vips) observers.metrics.splitBrain(vip, false);
  const update = (instance: VrrpInstance, round: HolderRound): void => {
    const before = stateOf(instance);
    const after = nextSplitBrain(before, round);
    states.set(instance.vip, { instance, state: after });
    logHolders(instance, { before, after, nowMs: round.nowMs }, observers);
  };
  return {
    view: () =>
      [...states].flatMap(([vip, { state }]) =>
        state.split ? [{ vip, holders: state.lastHeard.map(({ mac, node }) => node?.name ?? mac) }] : [],
      ),
    held,
    inDoubt: () => instances().filter((each) => stateOf(each).split || stateOf(each).heard > 0),
    observe: async (answers, nowMs) => {
      const all = instances();
      const here = held();
      const othersOf = answers && otherHolders(answers, answers.length === 0 ? [] : await neighbours(), all);
      for (const instance of all)
        update(instance, { holds: here.includes(instance), others: othersOf?.(instance), nowMs });
      // A removed node has no instances.
      for (const [vip, { instance }] of states) {
        if (all.some((each) => each.vip === vip)) continue;
        update(instance, { holds: false, others: [], nowMs });
        states.delete(vip);
      }
    },
  };
}

/** The hosts that sent these answers. A MAC is matched with the peers of all instances, so either family can identify a node. */
function otherHolders(
  answers: readonly Answer[],
  neighbours: readonly Answer[] | undefined,
  instances: readonly VrrpInstance[],
): (instance: VrrpInstance) => readonly OtherHolder[] {
  const holders = holdersAmong(
    answers,
    neighbours,
    instances.flatMap(({ peers }) => peers),
  );
  return ({ vip, peers }) =>
    holders(vip).map(({ mac, node }) => ({ mac, node: peers.find(({ name }) => name === node?.name) }));
}

function logHolders(
  { vip, name: instance, interface: device, sourceAddress }: VrrpInstance,
  transition: {
    readonly before: SplitBrainState;
    readonly after: SplitBrainState;
    readonly nowMs: number;
  },
  { log, metrics }: KeepalivedMonitorObservers,
): void {
  const { before, after, nowMs } = transition;
  metrics.splitBrain(vip, after.split);
  const facts = { vip, instance, interface: device };
  if (after.split && !before.split) {
    const { lastHeard } = after;
    const holders = lastHeard.map(({ mac, node }) => ({ mac, node: node?.name, address: node?.address }));
    const others = lastHeard.map(({ mac, node }) =>
      node === undefined ? `an unknown host (${mac})` : `${node.name} (${node.address}, ${mac})`,
    );
    const message = `This node (${sourceAddress}) and ${others.join(' and ')} answer for VIP "${vip}", expected one holder`;
    log({ event: 'split-brain', level: 'error', ...facts, holders, message });
  }
  if (before.split && !after.split)
    log({ event: 'split-brain-ended', ...facts, lastedMs: Math.round(nowMs - before.sinceMs) });
}

/** Another host that answered for a VIP. */
export type OtherHolder = Holder<RankedPeer>;

/** The result of one round of probing for the holders of a VIP. */
export interface HolderRound {
  /** This node's keepalived is MASTER. */
  readonly holds: boolean;
  /** Undefined if the round failed. */
  readonly others: readonly OtherHolder[] | undefined;
  readonly nowMs: number;
}

/** Times are in milliseconds of one monotonic clock. */
export interface SplitBrainState {
  /** Consecutive rounds in which another host answered. */
  readonly heard: number;
  /** Consecutive rounds in which no other host answered. */
  readonly silent: number;
  readonly lastHeard: readonly OtherHolder[];
  /** When the first answer of this split arrived. */
  readonly sinceMs: number;
  /** This node and another one hold the VIP. */
  readonly split: boolean;
}

export const initialSplitBrain: SplitBrainState = {
  heard: 0,
  silent: 0,
  lastHeard: [],
  sinceMs: 0,
  split: false,
};

/** A single answer may come from a node that is giving up the VIP. */
const ROUNDS_TO_REPORT = 2;
const ROUNDS_TO_CLEAR = 3;

/**
 * The state after one more round. A split is reported after two consecutive rounds with an answer from another host. It is over
 * after three consecutive rounds without one, or once this node no longer holds the VIP.
 */
export function nextSplitBrain(
  state: SplitBrainState,
  { holds, others, nowMs }: HolderRound,
): SplitBrainState {
  if (!holds) return { ...state, heard: 0, silent: 0, split: false };
  if (others === undefined) return state;
  if (others.length === 0) {
    const silent = state.silent + 1;
    return { ...state, heard: 0, silent, split: state.split && silent < ROUNDS_TO_CLEAR };
  }
  const heard = state.heard + 1;
  const sinceMs = heard === 1 && !state.split ? nowMs : state.sinceMs;
  return { heard, silent: 0, lastHeard: others, sinceMs, split: state.split || heard >= ROUNDS_TO_REPORT };
}
