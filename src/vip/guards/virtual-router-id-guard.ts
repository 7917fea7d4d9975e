import { request } from '../../engine/control/request.ts';
import { joinVrrpGroup } from '../../engine/system/network/multicast-membership.ts';
import { monotonicMs } from '../../engine/system/time/monotonic-clock.ts';
import { retryPauseMs } from '../../engine/system/time/retry.ts';
import { sleep } from '../../engine/system/time/sleep.ts';
import { vrrpStatusSchema } from '../../keepalived/supervise/vrrp-status.ts';
import type { KeepalivedModel } from '../group/vrrp.ts';
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
const STATUS_TIMEOUT_MS = 2_000;
const LOOK_AGAIN = { firstMs: 5_000, longestMs: 60_000 };

export interface VirtualRouterIdGuard {
  /** The model with which this node wants to join, undefined if it does not. Starts to listen if it has not yet. */
  readonly prepare: (model: KeepalivedModel | undefined) => void;
  /** Resolves with the verdict. A refusal is logged, and `prepare` checks again after a growing pause. */
  readonly admits: (model: KeepalivedModel) => Promise<boolean>;
  /** Why this node does not join, as last logged; null if nothing prevents it. */
  readonly taken: () => string | null;
  /** After `signal` has aborted, resolves once everything is removed from the kernel. */
  readonly run: () => Promise<void>;
}

type Verdict =
  | { readonly kind: 'free' }
  /** keepalived takes part already, so the guard is not needed any more. */
  | { readonly kind: 'joined' }
  | { readonly kind: 'taken'; readonly conflict: RouterIdConflict }
  | { readonly kind: 'unknown'; readonly message: string };

interface Look {
  readonly key: string;
  readonly verdict: Promise<Verdict>;
  refusals: number;
  againAt: number;
}

/**
 * Keeps a node whose keepalived does not run yet from joining with a virtual router id that another cluster uses on the
 * segment. Otherwise both clusters would log errors many times a second, or obey each other. It also prevents joining
 * beside a node that advertises one of our VIPs with another id, as both would hold the VIP. If it cannot listen, that
 * is logged once and the node joins.
 */
export function createVirtualRouterIdGuard(
  settings: KeepalivedMonitorSettings,
  clusterName: string,
  observers: KeepalivedMonitorObservers,
  signal: AbortSignal,
): VirtualRouterIdGuard {
  const trap = createAdvertTrap();
  // One at a time, as they share one table. The first removes what a killed monitor left; without nft there is nothing.
  let last: Promise<unknown> = trap.remove();
  let current: Look | undefined;
  let taken: string | null = null;
  const look = async (model: KeepalivedModel): Promise<Verdict> => {
    if (await takesPart(settings.socket, signal)) return { kind: 'joined' };
    return await listen(trap, model, signal);
  };
  const begin = (key: string, model: KeepalivedModel, refusals: number): Look => {
    const verdict = last.then(() => look(model));
    const begun: Look = { key, verdict, refusals, againAt: Number.POSITIVE_INFINITY };
    last = verdict.then(({ kind }) => {
      if (kind !== 'taken') return;
      begun.refusals += 1;
      begun.againAt = monotonicMs() + retryPauseMs(begun.refusals, LOOK_AGAIN);
    });
    return begun;
  };
  return {
    prepare: (model) => {
      if (settings.forceVirtualRouterId) return;
      const key = model && JSON.stringify(watchedRouterIds(model));
      if (key !== current?.key) current = undefined;
      if (model === undefined || key === undefined) return;
      if (current !== undefined && monotonicMs() < current.againAt) return;
      current = begin(key, model, current?.refusals ?? 0);
    },
    admits: async (model) => {
      const verdict = await current?.verdict;
      if (verdict === undefined) return true;
      taken = verdict.kind === 'taken' ? explainConflict(verdict.conflict, clusterName) : null;
      logVerdict(verdict, model, clusterName, observers);
      return verdict.kind !== 'taken';
    },
    taken: () => taken,
    run: async () => {
      await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
      await last;
    },
  };
}

/** Also true if the supervisor's status cannot be read: keepalived may have run for years. */
async function takesPart(socketPath: string, signal: AbortSignal): Promise<boolean> {
  const outcome = await request(socketPath, 'status', { timeoutMs: STATUS_TIMEOUT_MS, signal });
  if (outcome.kind !== 'answered') return false;
  const status = vrrpStatusSchema.safeParse(outcome.answer);
  return !status.success || status.data.current !== null;
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
  return conflict === undefined ? { kind: 'free' } : { kind: 'taken', conflict };
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
  metrics.virtualRouterIdTaken(verdict.kind === 'taken');
  switch (verdict.kind) {
    case 'taken': {
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
    case 'free':
    case 'joined': {
      if (!once.clear('virtual-router-id')) return;
      log({ event: 'virtual-router-id-free', ids: instances.map(({ virtualRouterId }) => virtualRouterId) });
    }
  }
}
