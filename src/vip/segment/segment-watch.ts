import { setTimeout as pause } from 'node:timers/promises';
import { holdersAmong } from '../../engine/system/network/address-holders.ts';
import { joinVrrpGroup } from '../../engine/system/network/multicast-membership.ts';
import { askNeighbours, type Neighbour } from '../../engine/system/network/neighbours.ts';
import { monotonicMs } from '../../engine/system/time/monotonic-clock.ts';
import type { Wake } from '../../engine/system/time/wake.ts';
import { type VipKind, vipKinds } from '../../keepalived/vip-kind.ts';
import type { SegmentFact } from '../participation/participation.ts';
import type { KeepalivedMonitorObservers } from '../settings/keepalived-monitor-metrics.ts';
import type { KeepalivedMonitorSettings } from '../settings/keepalived-monitor-settings.ts';
import { type ConfiguredVip, configuredInstances, vipsOf } from './configured-vips.ts';
import { peersOf } from './neighbour-pinning.ts';
import type { RouterIdListener } from './router-id-guard.ts';
import {
  createSegmentCapture,
  type ProbedVip,
  type SegmentCapture,
  type SegmentReading,
  type SegmentTargets,
} from './segment-capture.ts';
import {
  failedVipUse,
  initialVipUse,
  nextRoundInMs,
  nextVipUse,
  notYetKnown,
  segmentOf,
  type VipUseState,
  worstOf,
} from './segment-state.ts';
import type { SplitBrainAlarm } from './split-brain-alarm.ts';

/** A waiting health loop calls `factOf` five times a second. */
const REQUESTED_WITHIN_MS = 2_000;
const LISTENING_ROUND_MS = 100;
const HOLDER_ROUND_MS = 750;
/** While another host answers for a VIP of this node. */
const IN_DOUBT_ROUND_MS = 300;
const AFTER_FAILURE_MS = 30_000;

export interface SegmentWatch {
  /** Who holds the VIPs of this kind, for a node that is not admitted. Probing stops 2 s after the last call. */
  readonly factOf: (kind: VipKind) => SegmentFact;
  /** Watches until `signal` aborts, then removes the table and group memberships from the kernel. */
  readonly run: (signal: AbortSignal) => Promise<void>;
}

/**
 * The only loop that observes the segment. Each round probes the VIPs and reads one nftables table. It serves a waiting node (who
 * answers, whose adverts arrive), a holder (who else answers) and the router id guard. A failure is logged once.
 */
export function createSegmentWatch(
  settings: Pick<KeepalivedMonitorSettings, 'runDir' | 'config'>,
  {
    alarm,
    guard,
    wake,
  }: {
    readonly alarm: Pick<SplitBrainAlarm, 'held' | 'inDoubt' | 'observe'>;
    readonly guard: RouterIdListener;
    readonly wake: Wake;
  },
  { log, once }: Pick<KeepalivedMonitorObservers, 'log' | 'once'>,
  capture: SegmentCapture = createSegmentCapture(),
): SegmentWatch {
  const requestedAt = new Map<VipKind, number>();
  const states = new Map<string, VipUseState>();
  const listener = createSegmentListener(capture);
  const stateOf = (vip: string): VipUseState => states.get(vip) ?? initialVipUse;
  const isRequested = (kind: VipKind): boolean =>
    monotonicMs() - (requestedAt.get(kind) ?? Number.NEGATIVE_INFINITY) < REQUESTED_WITHIN_MS;
  const updateUse = (waiting: readonly ConfiguredVip[], reading: SegmentReading | string): void => {
    for (const { vip, masterDownMs } of waiting)
      states.set(
        vip,
        typeof reading === 'string' ? failedVipUse(stateOf(vip)) : usedBy(vip, masterDownMs, reading),
      );
  };
  const usedBy = (vip: string, masterDownMs: number, reading: SegmentReading): VipUseState => {
    const isAnswered = holdersAmong(reading.answers)(vip).length > 0;
    const isAdvertised = reading.advertised.has(vip);
    return nextVipUse(stateOf(vip), { isAnswered, isAdvertised, masterDownMs, nowMs: monotonicMs() });
  };
  const report = (listenedFor: SegmentTargets['routerIds'], reading: SegmentReading | string): void => {
    if (typeof reading !== 'string') {
      if (once.clear('segment')) log({ event: 'segment-watched-again' });
      guard.hear({ listenedFor, foreign: reading.foreign, sinceMs: listener.listeningSinceMs() });
      return;
    }
    if (once.isNew('segment', reading))
      log({ event: 'segment-not-watched', level: 'warn', message: reading });
    guard.fail(listenedFor, reading);
  };
  /** Resolves with the pause before the next round, in milliseconds. */
  const round = async (): Promise<number> => {
    const waiting = vipKinds
      .filter(isRequested)
      .flatMap((kind) => vipsOf(kind, configuredInstances(settings)));
    const held = alarm.held();
    const routerIds = guard.watched();
    if (waiting.length === 0) states.clear();
    if (waiting.length + held.length + routerIds.length === 0) {
      await listener.close();
      await alarm.observe([], monotonicMs());
      return nextRoundInMs([]);
    }
    const vips = uniqueVips([...waiting, ...held]);
    const peers = alarm.inDoubt().flatMap(peersOf);
    const reading = await listener.round({ vips, routerIds }, peers, waiting.length > 0);
    report(routerIds, reading);
    updateUse(waiting, reading);
    await alarm.observe(typeof reading === 'string' ? undefined : reading.answers, monotonicMs());
    if (waiting.length > 0) return nextRoundInMs(waiting.map(({ vip }) => stateOf(vip)));
    if (typeof reading === 'string') return AFTER_FAILURE_MS;
    if (routerIds.length > 0) return LISTENING_ROUND_MS;
    return alarm.inDoubt().length > 0 ? IN_DOUBT_ROUND_MS : HOLDER_ROUND_MS;
  };
  return {
    factOf: (kind) => {
      if (!isRequested(kind)) wake.poke();
      requestedAt.set(kind, monotonicMs());
      const now = monotonicMs();
      const instances = configuredInstances(settings);
      // A node that is admitted before its first configuration exists would compete with it at once.
      if (instances.length === 0) return notYetKnown(now);
      const vips = vipsOf(kind, instances);
      return worstOf(vips.map(({ vip, masterDownMs }) => segmentOf(stateOf(vip), now, masterDownMs)));
    },
    run: async (signal) => {
      // Removes the table of a killed monitor. Without nft there is none, so a failure is ignored.
      await capture.remove();
      while (!signal.aborted) await wake.sleep(await round(), signal);
      await listener.close();
    },
  };
}

function uniqueVips(vips: readonly ProbedVip[]): readonly ProbedVip[] {
  const probed = vips.map(({ vip, family, interface: device, virtualRouterId, senders }) => ({
    vip,
    family,
    interface: device,
    virtualRouterId,
    senders,
  }));
  return [...new Map(probed.map((each) => [`${each.vip} ${each.interface}`, each])).values()];
}

/** How long a round waits for answers. On the same segment they arrive within a millisecond. */
const ANSWER_WITHIN_MS = 250;

interface SegmentListener {
  /** The reading of one round, or an error message. `peers` are probed too, because their MACs are needed to name holders. */
  readonly round: (
    targets: SegmentTargets,
    peers: readonly Neighbour[],
    countsAdverts: boolean,
  ) => Promise<SegmentReading | string>;
  /** When listening for the current router ids began. */
  readonly listeningSinceMs: () => number;
  /** Removes the table and leaves the multicast groups. The next round creates them again. */
  readonly close: () => Promise<void>;
}

function createSegmentListener(capture: SegmentCapture): SegmentListener {
  let listening = '';
  let isOpen = false;
  let ids = { key: '[]', sinceMs: 0, members: new DisposableStack() };
  const listenFor = (routerIds: SegmentTargets['routerIds']): void => {
    const key = JSON.stringify(routerIds);
    if (key === ids.key) return;
    ids.members.dispose();
    const members = new DisposableStack();
    for (const each of routerIds) members.use(joinVrrpGroup(each));
    ids = { key, sinceMs: monotonicMs(), members };
  };
  const probe: SegmentListener['round'] = async (targets, peers, countsAdverts) => {
    const key = JSON.stringify(targets);
    // Flushed first, so that a round collects only its own answers.
    const captureError = key === listening ? await capture.flush('answers') : await capture.set(targets);
    if (captureError !== undefined) return captureError;
    listening = key;
    listenFor(targets.routerIds);
    const probed = targets.vips.map(({ vip, interface: device }) => ({ address: vip, interface: device }));
    const probeError = probed.length > 0 ? await askNeighbours(probed, peers) : undefined;
    if (probeError !== undefined) return probeError;
    await pause(ANSWER_WITHIN_MS);
    const reading = await capture.read();
    if (typeof reading === 'string') return reading;
    // Flushed last: an advert that arrives between two rounds counts in the second.
    return (countsAdverts ? await capture.flush('adverts') : undefined) ?? reading;
  };
  return {
    round: async (...round) => {
      isOpen = true;
      const reading = await probe(...round);
      // After an error the table is set up again: another program may have flushed the ruleset.
      if (typeof reading === 'string') listening = '';
      return reading;
    },
    listeningSinceMs: () => ids.sinceMs,
    close: async () => {
      if (!isOpen) return;
      await capture.remove();
      listenFor([]);
      listening = '';
      isOpen = false;
    },
  };
}
