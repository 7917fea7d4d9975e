import { holdersAmong } from '../../engine/system/network/address-holders.ts';
import { type Answer, readNeighbours } from '../../engine/system/network/neighbours.ts';
import { readLocalVrrpRole } from '../group/local-vrrp-role.ts';
import type { KeepalivedModel, VrrpInstance } from '../group/vrrp.ts';
import type { KeepalivedMonitorObservers } from '../settings/keepalived-monitor-metrics.ts';
import type { KeepalivedMonitorSettings } from '../settings/keepalived-monitor-settings.ts';
import type { KeepalivedMonitorStatus } from '../settings/keepalived-monitor-status.ts';
import { initialSplitBrain, nextSplitBrain, type OtherHolder, type SplitBrainState } from './split-brain.ts';

export interface SplitBrainAlarm {
  /** The VIPs that another host holds too, with the host as it was last seen. */
  readonly view: () => KeepalivedMonitorStatus['splitBrain'];
  /** The instances in which this node holds the VIP. */
  readonly held: () => readonly VrrpInstance[];
  /** Another host has answered for one of these: the MACs of their peers will be needed. */
  readonly inDoubt: () => readonly VrrpInstance[];
  /** Takes the answers of one round; an empty list if it failed. */
  readonly look: (answers: readonly Answer[], nowMs: number) => Promise<void>;
}

/**
 * Reports a second holder of a VIP that this node holds. VRRP alone does not detect two holders that cannot hear each other's
 * adverts while clients reach both.
 */
export function createSplitBrainAlarm(
  settings: Pick<KeepalivedMonitorSettings, 'stateFile' | 'vips'>,
  served: () => KeepalivedModel | undefined,
  observers: KeepalivedMonitorObservers,
): SplitBrainAlarm {
  const states = new Map<string, SplitBrainState>();
  const lastHeard = new Map<string, readonly OtherHolder[]>();
  const stateOf = ({ vip }: VrrpInstance): SplitBrainState => states.get(vip) ?? initialSplitBrain;
  const holds = ({ name }: VrrpInstance): boolean =>
    readLocalVrrpRole(settings.stateFile, new Set([name]), Date.now()).role === 'holder';
  const instances = (): readonly VrrpInstance[] => served()?.instances ?? [];
  for (const vip of settings.vips) observers.metrics.splitBrain(vip, false);
  return {
    view: () =>
      [...states].flatMap(([vip, { split }]) =>
        split ? [{ vip, holders: (lastHeard.get(vip) ?? []).map(nameOf) }] : [],
      ),
    held: () => instances().filter(holds),
    inDoubt: () => instances().filter((each) => stateOf(each).split || stateOf(each).heard > 0),
    look: async (answers, nowMs) => {
      const all = instances();
      const othersOf = await otherHolders(answers, all);
      for (const instance of all) {
        const before = stateOf(instance);
        const others = othersOf(instance);
        const after = nextSplitBrain(before, { holds: holds(instance), others, nowMs });
        states.set(instance.vip, after);
        if (others.length > 0) lastHeard.set(instance.vip, others);
        logHolders(instance, { before, after, others, nowMs }, observers);
      }
    },
  };
}

function nameOf({ mac, node }: OtherHolder): string {
  return node?.name ?? mac;
}

/** The hosts behind these answers. A peer of one family is known by the name that it has in the other. */
async function otherHolders(
  answers: readonly Answer[],
  instances: readonly VrrpInstance[],
): Promise<(instance: VrrpInstance) => readonly OtherHolder[]> {
  const known = answers.length === 0 ? [] : await readNeighbours();
  const holders = holdersAmong(
    answers,
    known,
    instances.flatMap(({ peers }) => peers),
  );
  return ({ vip, peers }) =>
    holders(vip).map(({ mac, node }) => ({ mac, node: peers.find(({ name }) => name === node?.name) }));
}

function logHolders(
  { vip, name: instance, interface: device, sourceAddress }: VrrpInstance,
  seen: {
    readonly before: SplitBrainState;
    readonly after: SplitBrainState;
    readonly others: readonly OtherHolder[];
    readonly nowMs: number;
  },
  { log, metrics }: KeepalivedMonitorObservers,
): void {
  const { before, after, nowMs } = seen;
  metrics.splitBrain(vip, after.split);
  const holders = seen.others.map(({ mac, node }) => ({ mac, node: node?.name, address: node?.address }));
  const facts = { vip, instance, interface: device };
  if (after.split && !before.split) {
    const others = seen.others.map(({ mac, node }) =>
      node === undefined ? `an unknown ${mac}` : `${node.name} (${node.address}, ${mac})`,
    );
    const message = `VIP "${vip}" is answered for by this node (${sourceAddress}) and by ${others.join(' and ')}, expected one holder`;
    log({ event: 'split-brain', level: 'error', ...facts, holders, message });
  }
  if (before.split && !after.split)
    log({ event: 'split-brain-over', ...facts, lastedMs: Math.round(nowMs - before.sinceMs) });
}
