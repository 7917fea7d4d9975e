import { setTimeout as pause } from 'node:timers/promises';
import { askNeighbours, ownMacs, readNeighbourTable } from '../../engine/system/network/neighbours.ts';
import { monotonicMs } from '../../engine/system/time/monotonic-clock.ts';
import { sleep } from '../../engine/system/time/sleep.ts';
import { readLocalVrrpRole } from '../group/local-vrrp-role.ts';
import type { KeepalivedModel, VrrpInstance } from '../group/vrrp.ts';
import type { KeepalivedMonitorObservers } from '../settings/keepalived-monitor-metrics.ts';
import type { KeepalivedMonitorSettings } from '../settings/keepalived-monitor-settings.ts';
import type { KeepalivedMonitorStatus } from '../settings/keepalived-monitor-status.ts';
import { createAnswerTrap, type VipAnswer } from './answer-trap.ts';
import { initialSplitBrain, nextSplitBrain, type OtherHolder, type SplitBrainState } from './split-brain.ts';

/** An answer from the same segment arrives within a millisecond. A later one is not counted on. */
const ANSWER_WITHIN_MS = 250;
const NEXT_ROUND_MS = 750;
/** The interval while another host answers. */
const NEXT_ROUND_IN_DOUBT_MS = 300;
const AFTER_TROUBLE_MS = 30_000;

export interface SplitBrainSentinel {
  /** The VIPs that another host holds too, with the host as it was last seen. */
  readonly view: () => KeepalivedMonitorStatus['splitBrain'];
  /** Watches until `signal` aborts, then removes everything from the kernel. */
  readonly run: (signal: AbortSignal) => Promise<void>;
}

/**
 * While this node holds a VIP, asks the segment for it every second and expects no answer. VRRP alone does not detect
 * two holders that cannot hear each other's adverts while clients reach both. If asking or listening fails, that is
 * logged once and affects nothing else.
 */
export function createSplitBrainSentinel(
  settings: KeepalivedMonitorSettings,
  served: () => KeepalivedModel | undefined,
  observers: KeepalivedMonitorObservers,
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
    const watched = instances.filter(holds);
    const inDoubt = instances.filter(isInDoubt);
    const { answers, trouble } = await listener.ask(watched, inDoubt);
    if (watched.length > 0) logTrouble(trouble, observers);
    const others = await otherHolders(answers, instances);
    for (const instance of instances) {
      const before = stateOf(instance);
      const seen = { holds: holds(instance), others: others(instance), nowMs: monotonicMs() };
      const after = nextSplitBrain(before, seen);
      states.set(instance.vip, after);
      if (seen.others.length > 0) lastHeard.set(instance.vip, seen.others);
      logHolders(instance, { before, after, others: seen.others, nowMs: seen.nowMs }, observers);
    }
    if (trouble !== undefined) return AFTER_TROUBLE_MS;
    return instances.some(isInDoubt) ? NEXT_ROUND_IN_DOUBT_MS : NEXT_ROUND_MS;
  };
  return {
    view: () =>
      [...states].flatMap(([vip, { split }]) =>
        split ? [{ vip, holders: (lastHeard.get(vip) ?? []).map(nameOf) }] : [],
      ),
    run: async (signal) => {
      // Removes what a killed monitor left. Without nft there is nothing to remove.
      await listener.close();
      while (!signal.aborted) {
        const nextMs = await round(served()?.instances ?? []);
        await sleep(nextMs, signal);
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
  /** The hosts that answer for these VIPs now. The MACs of the peers of `inDoubt` will be needed. */
  readonly ask: (watched: readonly VrrpInstance[], inDoubt: readonly VrrpInstance[]) => Promise<Heard>;
  readonly close: () => Promise<void>;
}

/** Its nftables table exists only while there is something to watch. */
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
      // Each round collects its own answers, however late this process reads them.
      const notReady = key === listening ? await trap.forget() : await trap.set(watched);
      // Another program may have flushed every table.
      listening = notReady === undefined ? key : '';
      if (notReady !== undefined) return { answers: [], trouble: notReady };
      const notAsked = await askNeighbours(watched.map(vipOf), inDoubt.flatMap(peersOf));
      if (notAsked !== undefined) return { answers: [], trouble: notAsked };
      await pause(ANSWER_WITHIN_MS);
      const outcome = await trap.noted();
      if (outcome.kind === 'noted') return { answers: outcome.noted };
      listening = '';
      return { answers: [], trouble: outcome.message };
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

/** The hosts behind these answers. A MAC is a peer's if the kernel has it for any of the peer's addresses. */
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

function logTrouble(trouble: string | undefined, { log, once }: KeepalivedMonitorObservers): void {
  if (trouble === undefined) {
    if (once.clear('split-brain')) log({ event: 'split-brain-watched-again' });
  } else if (once.isNew('split-brain', trouble))
    log({ event: 'split-brain-not-watched', level: 'warn', message: trouble });
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
  const holders = seen.others.map(({ mac, peer }) => ({ mac, node: peer?.name, address: peer?.address }));
  const facts = { vip, instance, interface: device };
  if (after.split && !before.split) {
    const others = seen.others.map(({ mac, peer }) =>
      peer === undefined ? `an unknown ${mac}` : `${peer.name} (${peer.address}, ${mac})`,
    );
    const message = `VIP "${vip}" is answered for by this node (${sourceAddress}) and by ${others.join(' and ')}, expected one holder`;
    log({ event: 'split-brain', level: 'error', ...facts, holders, message });
  }
  if (before.split && !after.split)
    log({ event: 'split-brain-over', ...facts, lastedMs: Math.round(nowMs - before.sinceMs) });
}
