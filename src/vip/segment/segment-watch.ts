import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { readText } from '../../engine/system/file/read-regular-file.ts';
import { holdersAmong } from '../../engine/system/network/address-holders.ts';
import { familyOf } from '../../engine/system/network/address-text.ts';
import { joinVrrpGroup } from '../../engine/system/network/multicast-membership.ts';
import { askNeighbours, type Neighbour } from '../../engine/system/network/neighbours.ts';
import { monotonicMs } from '../../engine/system/time/monotonic-clock.ts';
import type { Wake } from '../../engine/system/time/wake.ts';
import { ACCEPTED_FILE, parseConfiguration, readAccepted } from '../../keepalived/parse-configuration.ts';
import { type VipKind, vipKinds } from '../../keepalived/vip-kind.ts';
import { isInstanceOf } from '../group/vrrp-instances.ts';
import type { SegmentFact } from '../participation/participation.ts';
import type { KeepalivedMonitorObservers } from '../settings/keepalived-monitor-metrics.ts';
import type { KeepalivedMonitorSettings } from '../settings/keepalived-monitor-settings.ts';
import type { RouterIdListener } from './router-id-guard.ts';
import {
  type AskedVip,
  createSegmentCapture,
  type SegmentCapture,
  type SegmentSeen,
  type SegmentTargets,
} from './segment-capture.ts';
import {
  failedVipUse,
  initialVipUse,
  nextRoundInMs,
  nextVipUse,
  segmentOf,
  type VipUseState,
  worstOf,
} from './segment-state.ts';
import type { SplitBrainAlarm } from './split-brain-alarm.ts';

/** A health loop that waits asks five times a second. */
const ASKED_WITHIN_MS = 2_000;
const LISTENING_ROUND_MS = 100;
const HOLDER_ROUND_MS = 750;
/** While another host answers for a VIP of this node. */
const IN_DOUBT_ROUND_MS = 300;
const AFTER_TROUBLE_MS = 30_000;

export interface SegmentWatch {
  /** Who holds the VIPs of this kind, for a node that is not admitted. The segment is asked for as long as this is called. */
  readonly look: (kind: VipKind) => SegmentFact;
  /** Watches until `signal` aborts; then nothing of it is left in the kernel. */
  readonly run: (signal: AbortSignal) => Promise<void>;
}

/**
 * The only loop that looks at the segment: one round asks for the VIPs and reads what one nftables table has noted. It serves
 * a node that waits (who answers, whose adverts arrive), a holder (who else answers) and the guard of router ids. If asking or
 * listening fails, that is logged once.
 */
export function createSegmentWatch(
  settings: Pick<KeepalivedMonitorSettings, 'runDir' | 'config'>,
  {
    alarm,
    guard,
    wake,
  }: {
    readonly alarm: Pick<SplitBrainAlarm, 'held' | 'inDoubt' | 'look'>;
    readonly guard: RouterIdListener;
    readonly wake: Wake;
  },
  { log, once }: Pick<KeepalivedMonitorObservers, 'log' | 'once'>,
  capture: SegmentCapture = createSegmentCapture(),
): SegmentWatch {
  const askedAt = new Map<VipKind, number>();
  const states = new Map<string, VipUseState>();
  const listener = createSegmentListener(capture);
  const stateOf = (vip: string): VipUseState => states.get(vip) ?? initialVipUse;
  const isAsked = (kind: VipKind): boolean =>
    monotonicMs() - (askedAt.get(kind) ?? Number.NEGATIVE_INFINITY) < ASKED_WITHIN_MS;
  const noteUse = (waiting: readonly ConfiguredVip[], seen: SegmentSeen | string): void => {
    for (const { vip, masterDownMs } of waiting)
      states.set(
        vip,
        typeof seen === 'string' ? failedVipUse(stateOf(vip)) : usedBy(vip, masterDownMs, seen),
      );
  };
  const usedBy = (vip: string, masterDownMs: number, seen: SegmentSeen): VipUseState => {
    const answers = holdersAmong(seen.answers)(vip).map(({ mac }) => mac);
    const isAdvertised = seen.advertised.has(vip);
    return nextVipUse(stateOf(vip), { answers, isAdvertised, masterDownMs, nowMs: monotonicMs() });
  };
  const report = (seen: SegmentSeen | string): void => {
    if (typeof seen !== 'string') {
      if (once.clear('segment')) log({ event: 'segment-watched-again' });
      guard.hear(seen.foreign, listener.listeningSinceMs());
      return;
    }
    if (once.isNew('segment', seen)) log({ event: 'segment-not-watched', level: 'warn', message: seen });
    guard.fail(seen);
  };
  /** Resolves with the pause before the next one. */
  const round = async (): Promise<number> => {
    const waiting = vipKinds.filter(isAsked).flatMap((kind) => configuredVips(settings, kind));
    const held = alarm.held();
    const routerIds = guard.watched();
    if (waiting.length === 0) states.clear();
    if (waiting.length + held.length + routerIds.length === 0) {
      await listener.close();
      await alarm.look([], monotonicMs());
      return nextRoundInMs([]);
    }
    const vips = uniqueVips([...waiting, ...held]);
    const peers = alarm.inDoubt().flatMap(peersOf);
    const seen = await listener.round({ vips, routerIds }, peers, waiting.length > 0);
    report(seen);
    noteUse(waiting, seen);
    await alarm.look(typeof seen === 'string' ? [] : seen.answers, monotonicMs());
    if (waiting.length > 0) return nextRoundInMs(waiting.map(({ vip }) => stateOf(vip)));
    if (typeof seen === 'string') return AFTER_TROUBLE_MS;
    if (routerIds.length > 0) return LISTENING_ROUND_MS;
    return alarm.inDoubt().length > 0 ? IN_DOUBT_ROUND_MS : HOLDER_ROUND_MS;
  };
  return {
    look: (kind) => {
      if (!isAsked(kind)) wake.poke();
      askedAt.set(kind, monotonicMs());
      const vips = configuredVips(settings, kind);
      return worstOf(
        vips.map(({ vip, masterDownMs }) => segmentOf(stateOf(vip), monotonicMs(), masterDownMs)),
      );
    },
    run: async (signal) => {
      // Removes what a killed monitor left. Without nft there is nothing to remove.
      await capture.remove();
      while (!signal.aborted) await wake.sleep(await round(), signal);
      await listener.close();
    },
  };
}

function uniqueVips(vips: readonly AskedVip[]): readonly AskedVip[] {
  const asked = vips.map(({ vip, family, interface: device }) => ({ vip, family, interface: device }));
  return [...new Map(asked.map((each) => [`${each.vip} ${each.interface}`, each])).values()];
}

function peersOf({ peers, interface: device }: ReturnType<SplitBrainAlarm['held']>[number]) {
  return peers.map(({ address }) => ({ address, interface: device }));
}

interface ConfiguredVip extends AskedVip {
  readonly masterDownMs: number;
}

/** Of what keepalived runs on, else of what it will be given at its start. */
function configuredVips(
  { runDir, config }: Pick<KeepalivedMonitorSettings, 'runDir' | 'config'>,
  kind: VipKind,
): readonly ConfiguredVip[] {
  const configuration = readAccepted(join(runDir, ACCEPTED_FILE)) ?? parseConfiguration(readText(config));
  return configuration.instances
    .filter(({ name }) => isInstanceOf(kind, name))
    .flatMap(({ vips, masterDownMs }) =>
      vips.map(({ address, interface: device }) => ({
        vip: address,
        family: familyOf(address),
        interface: device,
        masterDownMs,
      })),
    );
}

/** An answer from the same segment arrives within a millisecond. A later one is not counted on. */
const ANSWER_WITHIN_MS = 250;

interface SegmentListener {
  /** What one round has seen, or what went wrong. `peers`: their MACs will be needed. */
  readonly round: (
    targets: SegmentTargets,
    peers: readonly Neighbour[],
    countsAdverts: boolean,
  ) => Promise<SegmentSeen | string>;
  /** Since when these router ids have been listened for. */
  readonly listeningSinceMs: () => number;
  /** Its table exists only while there is something to watch. */
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
  const seeRound: SegmentListener['round'] = async (targets, peers, countsAdverts) => {
    const key = JSON.stringify(targets);
    // Each round collects its own answers, however late this process reads them.
    const notReady = key === listening ? await capture.flush('answers') : await capture.set(targets);
    if (notReady !== undefined) return notReady;
    listening = key;
    listenFor(targets.routerIds);
    const asked = targets.vips.map(({ vip, interface: device }) => ({ address: vip, interface: device }));
    const notAsked = asked.length > 0 ? await askNeighbours(asked, peers) : undefined;
    if (notAsked !== undefined) return notAsked;
    await pause(ANSWER_WITHIN_MS);
    const seen = await capture.read();
    if (typeof seen === 'string') return seen;
    // Only now: an advert that comes in between two rounds counts in the second.
    return (countsAdverts ? await capture.flush('adverts') : undefined) ?? seen;
  };
  return {
    round: async (...round) => {
      isOpen = true;
      const seen = await seeRound(...round);
      // Another program may have flushed every table.
      if (typeof seen === 'string') listening = '';
      return seen;
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
