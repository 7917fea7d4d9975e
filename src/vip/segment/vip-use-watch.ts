import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { readText } from '../../engine/system/file/read-regular-file.ts';
import { familyOf } from '../../engine/system/network/address-text.ts';
import { askNeighbours, ownMacs } from '../../engine/system/network/neighbours.ts';
import { monotonicMs } from '../../engine/system/time/monotonic-clock.ts';
import { sleep } from '../../engine/system/time/sleep.ts';
import { describeConfiguration, readAccepted } from '../../keepalived/accepted-configuration.ts';
import { ACCEPTED_FILE } from '../../keepalived/argv.ts';
import type { VipKind } from '../../keepalived/vip-kind.ts';
import { isInstanceOf } from '../group/vrrp-instances.ts';
import type { SegmentFact } from '../participation/participation.ts';
import type { KeepalivedMonitorObservers } from '../settings/keepalived-monitor-metrics.ts';
import type { KeepalivedMonitorSettings } from '../settings/keepalived-monitor-settings.ts';
import type { AskedVip } from './answer-trap.ts';
import {
  failedVipUse,
  initialVipUse,
  nextRoundInMs,
  nextVipUse,
  segmentOf,
  type VipUseState,
  worstOf,
} from './vip-use.ts';
import { createVipUseTrap, type VipUseSeen } from './vip-use-trap.ts';

const ANSWER_WITHIN_MS = 250;
/** A health loop that waits asks five times a second. */
const ASKED_WITHIN_MS = 2_000;

export interface VipUseWatch {
  /**
   * Whether another host holds a VIP of this kind and this node does not hear its adverts. The segment is asked for as long
   * as this is called.
   */
  readonly look: (kind: VipKind) => SegmentFact;
  /** Watches until `signal` aborts; then nothing of it is left in the kernel. */
  readonly run: (signal: AbortSignal) => Promise<void>;
}

/**
 * Asks for the VIPs that keepalived of this node would hold, which its configuration names, whether or not the nodes are known. For a
 * node that waits for a list of nodes which no API server gives.
 */
export function createVipUseWatch(
  settings: Pick<KeepalivedMonitorSettings, 'runDir' | 'config'>,
  { log, once }: Pick<KeepalivedMonitorObservers, 'log' | 'once'>,
  trap: ReturnType<typeof createVipUseTrap> = createVipUseTrap(),
): VipUseWatch {
  const askedAt = new Map<VipKind, number>();
  const states = new Map<string, VipUseState>();
  let listening = '';
  /** Rounds were made since the last `close`. They may all have failed, and then it listens to nothing. */
  let isWatching = false;
  const stateOf = (vip: string): VipUseState => states.get(vip) ?? initialVipUse;
  const isAsked = (kind: VipKind): boolean =>
    monotonicMs() - (askedAt.get(kind) ?? Number.NEGATIVE_INFINITY) < ASKED_WITHIN_MS;
  const close = async (): Promise<void> => {
    await trap.remove();
    listening = '';
    isWatching = false;
    states.clear();
  };
  const ask = async (vips: readonly AskedVip[]): Promise<VipUseSeen | string> => {
    const key = JSON.stringify(vips);
    const notReady = key === listening ? undefined : await trap.set(vips);
    listening = notReady === undefined ? key : '';
    if (notReady !== undefined) return notReady;
    const asked = vips.map(({ vip, interface: device }) => ({ address: vip, interface: device }));
    const notAsked = await askNeighbours(asked);
    if (notAsked !== undefined) return notAsked;
    await pause(ANSWER_WITHIN_MS);
    const outcome = await trap.noted();
    if (outcome.kind === 'failed') return outcome.message;
    // Only now: what comes in between two rounds counts in the second.
    return (await trap.forget()) ?? outcome.noted;
  };
  const round = async (vips: readonly ConfiguredVip[]): Promise<void> => {
    isWatching = true;
    const seen = await ask(vips);
    if (typeof seen === 'string') {
      listening = '';
      for (const { vip } of vips) states.set(vip, failedVipUse(stateOf(vip)));
      if (once.isNew('vip-use', seen)) log({ event: 'vip-use-not-watched', level: 'warn', message: seen });
      return;
    }
    once.clear('vip-use');
    const own = ownMacs();
    for (const { vip, takeOverMs } of vips) {
      const answers = seen.answers.flatMap((each) =>
        each.vip === vip && !own.has(each.mac) ? each.mac : [],
      );
      const heard = { answers, isAdvertised: seen.advertised.has(vip), takeOverMs, nowMs: monotonicMs() };
      states.set(vip, nextVipUse(stateOf(vip), heard));
    }
  };
  return {
    look: (kind) => {
      askedAt.set(kind, monotonicMs());
      const vips = configuredVips(settings, kind);
      return worstOf(vips.map(({ vip, takeOverMs }) => segmentOf(stateOf(vip), monotonicMs(), takeOverMs)));
    },
    run: async (signal) => {
      await close();
      while (!signal.aborted) {
        const vips = (['api', 'ingress'] as const)
          .filter(isAsked)
          .flatMap((kind) => configuredVips(settings, kind));
        if (vips.length > 0) await round(vips);
        else if (isWatching) await close();
        await sleep(nextRoundInMs(vips.map(({ vip }) => stateOf(vip))), signal);
      }
      await close();
    },
  };
}

interface ConfiguredVip extends AskedVip {
  readonly takeOverMs: number;
}

/** Of what keepalived runs on, else of what it will be given at its start. */
function configuredVips(
  { runDir, config }: Pick<KeepalivedMonitorSettings, 'runDir' | 'config'>,
  kind: VipKind,
): readonly ConfiguredVip[] {
  const configuration =
    readAccepted(join(runDir, ACCEPTED_FILE)) ?? describeConfiguration(readText(config), 0);
  return configuration.instances
    .filter(({ name }) => isInstanceOf(kind, name))
    .flatMap(({ vips, takeOverMs }) =>
      vips.map(({ address, interface: device }) => ({
        ...{ vip: address, family: familyOf(address), interface: device },
        takeOverMs,
      })),
    );
}
