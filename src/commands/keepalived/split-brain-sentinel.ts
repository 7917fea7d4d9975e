import { setTimeout as pause } from 'node:timers/promises';
import type { KeepalivedMonitorSettings } from '../../config/keepalived-monitor-settings.ts';
import { createAnswerTrap, type VipAnswer } from '../../firewall/answer-trap.ts';
import { readLocalVrrpRole } from '../../keepalived/local-vrrp-role.ts';
import {
  initialSplitBrain,
  nextSplitBrain,
  type OtherHolder,
  type SplitBrainState,
} from '../../model/split-brain.ts';
import type { KeepalivedModel, VipKind, VrrpInstance } from '../../model/vrrp.ts';
import type { KeepalivedMonitorStatus } from '../../protocol/keepalived-monitor-status.ts';
import { monotonicMs } from '../../system/monotonic-clock.ts';
import { readNeighbourTable } from '../../system/neighbour-table.ts';
import { askNeighbours, ownMacs } from '../../system/neighbours.ts';
import type { Observers } from '../monitor/observers.ts';

/** The answer to a question on the same segment comes within a millisecond, or is not to be counted on. */
const ANSWER_WITHIN_MS = 250;
const NEXT_ROUND_MS = 750;
/** While somebody else answers. */
const NEXT_ROUND_IN_DOUBT_MS = 300;
const AFTER_TROUBLE_MS = 30_000;

export interface SplitBrainSentinel {
  /** This node must give up its VIPs of this kind, and not take them, until nobody else holds them. */
  readonly mustLeave: (kind: VipKind) => boolean;
  /** The VIPs that somebody else holds beside this node, and who, as it was seen last. */
  readonly view: () => KeepalivedMonitorStatus['splitBrain'];
  /** Watches until `signal` aborts; then nothing of it is left in the kernel. */
  readonly run: (signal: AbortSignal) => Promise<void>;
}

/**
 * While this node holds a VIP, asks the segment for it every second: nobody should answer. VRRP alone does not find two
 * holders that cannot hear each other's adverts though clients reach both. Where it cannot ask or listen, that is told
 * once, and nothing else suffers.
 */
export function createSplitBrainSentinel(
  settings: KeepalivedMonitorSettings,
  served: () => KeepalivedModel | undefined,
  observers: Observers,
): SplitBrainSentinel {
  const states = new Map<string, SplitBrainState>();
  const lastHeard = new Map<string, readonly OtherHolder[]>();
  const stateOf = ({ vip }: VrrpInstance): SplitBrainState => states.get(vip) ?? initialSplitBrain;
  const holds = ({ name }: VrrpInstance): boolean =>
    readLocalVrrpRole(settings.stateFile, new Set([name]), Date.now()).role === 'holder';
  const isInDoubt = (each: VrrpInstance): boolean => stateOf(each).split || stateOf(each).heard > 0;
  const listener = createListener();
  for (const vip of settings.vips) observers.metrics.splitBrain(vip, false);

  const round = async (instances: readonly VrrpInstance[]): Promise<number> => {
    const watched = instances.filter((each) => holds(each) || stateOf(each).out);
    const inDoubt = instances.filter(isInDoubt);
    const { answers, trouble } = await listener.ask(watched, inDoubt);
    if (watched.length > 0) tellTrouble(trouble, observers);
    const others = await otherHolders(answers, instances);
    for (const instance of instances) {
      const before = stateOf(instance);
      const now = { nowMs: monotonicMs(), resolve: settings.resolveSplitBrain };
      const seen = { holds: holds(instance), others: others(instance), ...now };
      const after = nextSplitBrain(before, seen, instance);
      states.set(instance.vip, after);
      if (seen.others.length > 0) lastHeard.set(instance.vip, seen.others);
      tell(instance, { before, after, others: seen.others, nowMs: seen.nowMs }, observers);
    }
    if (trouble !== undefined) return AFTER_TROUBLE_MS;
    return instances.some(isInDoubt) ? NEXT_ROUND_IN_DOUBT_MS : NEXT_ROUND_MS;
  };
  return {
    mustLeave: (kind) => (served()?.instances ?? []).some((each) => each.kind === kind && stateOf(each).out),
    view: () =>
      [...states].flatMap(([vip, { split, out }]) =>
        split || out ? [{ vip, holders: (lastHeard.get(vip) ?? []).map(nameOf) }] : [],
      ),
    run: async (signal) => {
      // A monitor that was killed has left it; without nft there is none.
      await listener.close();
      while (!signal.aborted) {
        const nextMs = await round(served()?.instances ?? []);
        await pause(nextMs, undefined, { signal }).catch(() => undefined);
      }
      await listener.close();
    },
  };
}

interface Heard {
  readonly answers: readonly VipAnswer[];
  readonly trouble?: string | undefined;
}

interface Listener {
  /** Who answers for these now. `inDoubt`: those whose peers' MACs will be wanted. */
  readonly ask: (watched: readonly VrrpInstance[], inDoubt: readonly VrrpInstance[]) => Promise<Heard>;
  readonly close: () => Promise<void>;
}

/** Its table is in the kernel only while there is something to watch. */
function createListener(): Listener {
  const trap = createAnswerTrap();
  let listening = '';
  const close = async (): Promise<void> => {
    await trap.remove();
    listening = '';
  };
  return {
    close,
    ask: async (watched, inDoubt) => {
      if (watched.length === 0) {
        if (listening !== '') await close();
        return { answers: [] };
      }
      const key = JSON.stringify(watched.map(({ vip, interface: device }) => [vip, device]));
      // Each round hears its own answers, whenever this process gets to read them.
      const notReady = key === listening ? await trap.forget() : await trap.set(watched);
      // Somebody may have flushed every table.
      listening = notReady === undefined ? key : '';
      if (notReady !== undefined) return { answers: [], trouble: notReady };
      const notAsked = await askNeighbours(watched.map(vipOf), inDoubt.flatMap(peersOf));
      if (notAsked !== undefined) return { answers: [], trouble: notAsked };
      await pause(ANSWER_WITHIN_MS);
      const outcome = await trap.answers();
      if (outcome.kind === 'failed') listening = '';
      return outcome.kind === 'failed' ? { answers: [], trouble: outcome.message } : outcome;
    },
  };
}

function nameOf({ mac, peer }: OtherHolder): string {
  return peer?.name ?? mac;
}

function vipOf({ vip, interface: device }: VrrpInstance) {
  return { address: vip, interface: device };
}

function peersOf({ peers, interface: device }: VrrpInstance) {
  return peers.map(({ address }) => ({ address, interface: device }));
}

/** Whose answers these are: a MAC is a peer's where the kernel knows any of the peer's addresses to be there. */
async function otherHolders(
  answers: readonly VipAnswer[],
  instances: readonly VrrpInstance[],
): Promise<(instance: VrrpInstance) => readonly OtherHolder[]> {
  const own = ownMacs();
  const foreign = answers.filter(({ mac }) => !own.has(mac));
  if (foreign.length === 0) return () => [];
  const neighbours = (await readNeighbourTable()) ?? new Map<string, readonly string[]>();
  const allPeers = instances.flatMap(({ peers }) => peers);
  return (instance) =>
    foreign
      .filter(({ vip }) => vip === instance.vip)
      .map(({ mac }) => {
        const addresses = neighbours.get(mac) ?? [];
        const name = allPeers.find(({ address }) => addresses.includes(address))?.name;
        return { mac, peer: instance.peers.find((peer) => peer.name === name) };
      });
}

function tellTrouble(trouble: string | undefined, { log, once }: Observers): void {
  if (trouble === undefined) {
    if (once.clear('split-brain')) log({ event: 'split-brain-watched-again' });
  } else if (once.isNew('split-brain', trouble))
    log({ event: 'split-brain-not-watched', level: 'warn', message: trouble });
}

function tell(
  { vip, name: instance, interface: device, sourceAddress }: VrrpInstance,
  seen: {
    readonly before: SplitBrainState;
    readonly after: SplitBrainState;
    readonly others: readonly OtherHolder[];
    readonly nowMs: number;
  },
  { log, metrics }: Observers,
): void {
  const { before, after, nowMs } = seen;
  metrics.splitBrain(vip, after.split);
  const holders = seen.others.map(({ mac, peer }) => ({ mac, node: peer?.name, address: peer?.address }));
  const facts = { vip, instance, interface: device };
  if (after.split && !before.split) {
    const others = seen.others.map(({ mac, peer }) =>
      peer === undefined ? `an unknown ${mac}` : `${peer.name} (${peer.address}, ${mac})`,
    );
    const message = `VIP "${vip}" is answered for by this node (${sourceAddress}) and by ${others.join(' and ')}, expected one holder`;
    log({ event: 'split-brain', level: 'error', ...facts, holders, message });
  }
  if (after.out && !before.out) log({ event: 'split-brain-left', level: 'warn', ...facts, holders });
  if (before.split && !after.split)
    log({ event: 'split-brain-over', ...facts, lastedMs: Math.round(nowMs - before.sinceMs) });
  if (before.out && !after.out)
    log({ event: 'split-brain-returned', ...facts, outMs: Math.round(nowMs - before.leftMs) });
}
