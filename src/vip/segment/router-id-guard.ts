import { monotonicMs } from '../../engine/system/time/monotonic-clock.ts';
import { retryPauseMs } from '../../engine/system/time/retry.ts';
import type { KeepalivedModel } from '../group/vrrp.ts';
import type { RouterIdFact } from '../participation/participation.ts';
import type { KeepalivedMonitorObservers } from '../settings/keepalived-monitor-metrics.ts';
import type { KeepalivedMonitorSettings } from '../settings/keepalived-monitor-settings.ts';
import {
  explainConflict,
  type ForeignAdvert,
  LISTEN_MS,
  type RouterIdConflict,
  routerIdConflict,
  type WatchedRouterId,
  watchedRouterIds,
} from './foreign-router.ts';

/** nft may be slow. */
const LATE_MS = 400;
const LOOK_AGAIN = { firstMs: 5_000, longestMs: 60_000 };

/** For the participation of this node. */
export interface RouterIdGuard {
  /** Listens with the model of this node, unless it has. A conflict is logged, and listened for again after a growing pause. */
  readonly prepare: (model: KeepalivedModel | undefined) => void;
  readonly fact: () => RouterIdFact;
  /** The conflict, as last logged; null without one. */
  readonly conflict: () => string | null;
}

/** For the watch of the segment. */
export interface RouterIdListener {
  /** To be listened for now. */
  readonly watched: () => readonly WatchedRouterId[];
  /** What came in during a round, and since when these are listened for. */
  readonly hear: (foreign: readonly ForeignAdvert[], sinceMs: number) => void;
  /** The segment cannot be listened to. */
  readonly fail: (message: string) => void;
}

type Verdict =
  | { readonly kind: 'free' }
  | { readonly kind: 'conflict'; readonly conflict: RouterIdConflict }
  | { readonly kind: 'unknown'; readonly message: string };

interface Look {
  readonly key: string;
  readonly model: KeepalivedModel;
  readonly refusals: number;
  readonly until: number;
  readonly heard: readonly ForeignAdvert[];
  readonly isOver: boolean;
  readonly againAt: number;
}

/**
 * Keeps a node from competing with a virtual router id that another cluster uses on the segment: both clusters would log
 * errors many times a second, or obey each other. The same if a node advertises one of our VIPs with another id, as both
 * would hold the VIP. If it cannot listen, that is logged once and keeps nobody out. An admitted node is not checked.
 */
export function createRouterIdGuard(
  { forceVirtualRouterId }: Pick<KeepalivedMonitorSettings, 'forceVirtualRouterId'>,
  parts: { readonly clusterName: string; readonly isAdmitted: () => boolean; readonly wake: () => void },
  observers: KeepalivedMonitorObservers,
): RouterIdGuard & RouterIdListener {
  const { clusterName, isAdmitted, wake } = parts;
  let look: Look | undefined;
  let verdict: Verdict | undefined;
  const end = (found: Verdict): void => {
    if (look === undefined) return;
    verdict = found;
    logVerdict(found, look.model, clusterName, observers);
    const refusals = found.kind === 'conflict' ? look.refusals + 1 : 0;
    const againMs = found.kind === 'conflict' ? retryPauseMs(refusals, LOOK_AGAIN) : Number.POSITIVE_INFINITY;
    look = { ...look, refusals, isOver: true, againAt: monotonicMs() + againMs };
  };
  return {
    prepare: (model) => {
      if (forceVirtualRouterId || model === undefined || isAdmitted()) return;
      const key = JSON.stringify(watchedRouterIds(model));
      const before = key === look?.key ? look : undefined;
      if (before !== undefined && (!before.isOver || monotonicMs() < before.againAt)) return;
      if (before === undefined) verdict = undefined;
      const until = monotonicMs() + LISTEN_MS + LATE_MS;
      look = { key, model, refusals: before?.refusals ?? 0, until, heard: [], isOver: false, againAt: 0 };
      wake();
    },
    fact: () => {
      if (look === undefined) return { kind: 'unchecked' };
      if (verdict === undefined)
        return { kind: 'listening', until: Math.max(look.until, monotonicMs() + LATE_MS) };
      return verdict.kind === 'unknown' ? { kind: 'unchecked' } : { kind: verdict.kind };
    },
    conflict: () => (verdict?.kind === 'conflict' ? explainConflict(verdict.conflict, clusterName) : null),
    watched: () => (look === undefined || look.isOver ? [] : watchedRouterIds(look.model)),
    hear: (foreign, sinceMs) => {
      if (look === undefined || look.isOver) return;
      look = { ...look, heard: [...look.heard, ...foreign] };
      if (monotonicMs() - sinceMs < LISTEN_MS) return;
      const conflict = routerIdConflict(look.model, look.heard);
      end(conflict === undefined ? { kind: 'free' } : { kind: 'conflict', conflict });
    },
    fail: (message) => {
      if (look?.isOver === false) end({ kind: 'unknown', message });
    },
  };
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
