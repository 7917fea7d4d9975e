import { joinVrrpGroup } from '../../engine/system/network/multicast-membership.ts';
import { monotonicMs } from '../../engine/system/time/monotonic-clock.ts';
import { retryPauseMs } from '../../engine/system/time/retry.ts';
import { sleep } from '../../engine/system/time/sleep.ts';
import type { KeepalivedModel } from '../group/vrrp.ts';
import type { RouterIdFact } from '../participation/participation.ts';
import type { KeepalivedMonitorObservers } from '../settings/keepalived-monitor-metrics.ts';
import type { KeepalivedMonitorSettings } from '../settings/keepalived-monitor-settings.ts';
import { createAdvertTrap } from './advert-trap.ts';
import {
  explainConflict,
  type RouterIdConflict,
  routerIdConflict,
  watchedRouterIds,
} from './foreign-router.ts';

/** Three adverts at the usual interval of one second, and a margin. A silent router is not detected. */
const LISTEN_MS = 3_200;
/** nft may be slow. */
const LATE_MS = 200;
const LOOK_AGAIN = { firstMs: 5_000, longestMs: 60_000 };

export interface VirtualRouterIdGuard {
  /** The model with which this node wants to join, undefined if it does not. Starts to listen if it has not yet. */
  readonly prepare: (model: KeepalivedModel | undefined) => void;
  /** A conflict is logged, and `prepare` listens again after a growing pause. */
  readonly fact: () => RouterIdFact;
  /** The conflict, as last logged; null without one. */
  readonly conflict: () => string | null;
  /** After `signal` has aborted, resolves once everything is removed from the kernel. */
  readonly run: () => Promise<void>;
}

type Verdict =
  | { readonly kind: 'free' }
  | { readonly kind: 'conflict'; readonly conflict: RouterIdConflict }
  | { readonly kind: 'unknown'; readonly message: string };

interface Look {
  readonly key: string;
  /** When the verdict is due. */
  readonly until: number;
  refusals: number;
  againAt: number;
}

/**
 * Keeps a node from competing with a virtual router id that another cluster uses on the segment: both clusters would log
 * errors many times a second, or obey each other. The same if a node advertises one of our VIPs with another id, as both
 * would hold the VIP. If it cannot listen, that is logged once and keeps nobody out. An admitted node is not checked.
 */
export function createVirtualRouterIdGuard(
  settings: Pick<KeepalivedMonitorSettings, 'forceVirtualRouterId'>,
  { clusterName, isAdmitted }: { readonly clusterName: string; readonly isAdmitted: () => boolean },
  observers: KeepalivedMonitorObservers,
  signal: AbortSignal,
): VirtualRouterIdGuard {
  const trap = createAdvertTrap();
  // One at a time, as they share one table. The first removes what a killed monitor left; without nft there is nothing.
  let last: Promise<unknown> = trap.remove();
  let current: Look | undefined;
  let verdict: Verdict | undefined;
  const begin = (key: string, model: KeepalivedModel, refusals: number): Look => {
    const begun: Look = {
      key,
      refusals,
      until: monotonicMs() + LISTEN_MS,
      againAt: Number.POSITIVE_INFINITY,
    };
    last = last.then(async () => {
      const found = await listen(trap, model, signal);
      if (signal.aborted || begun !== current) return;
      verdict = found;
      logVerdict(found, model, clusterName, observers);
      if (found.kind !== 'conflict') return;
      begun.refusals += 1;
      begun.againAt = monotonicMs() + retryPauseMs(begun.refusals, LOOK_AGAIN);
    });
    return begun;
  };
  return {
    prepare: (model) => {
      if (settings.forceVirtualRouterId || isAdmitted()) return;
      const key = model && JSON.stringify(watchedRouterIds(model));
      if (key === undefined || model === undefined) return;
      const before = key === current?.key ? current : undefined;
      if (before !== undefined && monotonicMs() < before.againAt) return;
      if (before === undefined) verdict = undefined;
      current = begin(key, model, before?.refusals ?? 0);
    },
    fact: () => {
      if (current === undefined) return { kind: 'unchecked' };
      if (verdict === undefined)
        return { kind: 'listening', until: Math.max(current.until, monotonicMs() + LATE_MS) };
      return verdict.kind === 'unknown' ? { kind: 'unchecked' } : { kind: verdict.kind };
    },
    conflict: () => (verdict?.kind === 'conflict' ? explainConflict(verdict.conflict, clusterName) : null),
    run: async () => {
      await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
      await last;
    },
  };
}

async function listen(
  trap: ReturnType<typeof createAdvertTrap>,
  model: KeepalivedModel,
  signal: AbortSignal,
): Promise<Verdict> {
  using members = new DisposableStack();
  const watched = watchedRouterIds(model);
  const trouble = await trap.set(watched);
  if (trouble !== undefined) return { kind: 'unknown', message: trouble };
  for (const each of watched) members.use(joinVrrpGroup(each));
  await sleep(LISTEN_MS, signal);
  const outcome = await trap.noted();
  const left = await trap.remove();
  if (outcome.kind === 'failed') return { kind: 'unknown', message: outcome.message };
  if (left !== undefined) return { kind: 'unknown', message: left };
  const conflict = routerIdConflict(model, outcome.noted);
  return conflict === undefined ? { kind: 'free' } : { kind: 'conflict', conflict };
}

const conflictEvents: Readonly<Record<RouterIdConflict['kind'], string>> = {
  id: 'virtual-router-id-taken',
  vip: 'vip-with-another-router-id',
  version: 'vip-in-another-vrrp-version',
};

function logVerdict(
  verdict: Verdict,
  { instances }: KeepalivedModel,
  clusterName: string,
  { log, metrics, once }: KeepalivedMonitorObservers,
): void {
  metrics.virtualRouterIdTaken(verdict.kind === 'conflict');
  switch (verdict.kind) {
    case 'conflict': {
      const { kind, ours, theirs } = verdict.conflict;
      const ids = `${ours.virtualRouterId} ${theirs.virtualRouterId}`;
      if (!once.isNew('virtual-router-id', `${ids} ${theirs.source} ${theirs.vip}`)) return;
      const message = explainConflict(verdict.conflict, clusterName);
      log({ event: conflictEvents[kind], level: 'error', message, ours, theirs });
      return;
    }
    case 'unknown':
      if (once.isNew('virtual-router-id', verdict.message))
        log({ event: 'virtual-router-id-not-checked', level: 'warn', message: verdict.message });
      return;
    case 'free': {
      if (!once.clear('virtual-router-id')) return;
      log({ event: 'virtual-router-id-free', ids: instances.map(({ virtualRouterId }) => virtualRouterId) });
    }
  }
}
