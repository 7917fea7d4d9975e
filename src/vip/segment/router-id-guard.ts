import { monotonicMs } from '../../engine/system/time/monotonic-clock.ts';
import { retryPauseMs } from '../../engine/system/time/retry.ts';
import type { WatchedInstance } from '../../keepalived/vip-presence.ts';
import type { KeepalivedModel } from '../group/vrrp.ts';
import type { RouterIdFact } from '../participation/participation.ts';
import type { KeepalivedMonitorObservers } from '../settings/keepalived-monitor-metrics.ts';
import type { KeepalivedMonitorSettings } from '../settings/keepalived-monitor-settings.ts';
import {
  explainConflict,
  type ForeignAdvert,
  LISTEN_AGAIN_MS,
  LISTEN_MS,
  type RouterIdConflict,
  routerIdConflict,
  type WatchedRouterId,
  watchedRouterIds,
} from './foreign-router.ts';

/** Allowance for a slow nft. */
const LATE_MS = 400;
const RETRY = { firstMs: 5_000, longestMs: 60_000 };

/** The guard as the participation decision uses it. */
export interface RouterIdGuard {
  /**
   * Starts to listen for this model's ids unless that has been done. After a conflict it listens again, with backoff. A node without
   * a model competes with nobody: its conflict is over.
   */
  readonly prepare: (model: KeepalivedModel | undefined) => void;
  readonly fact: () => RouterIdFact;
  /** The message of the current conflict; null if there is none. */
  readonly conflict: () => string | null;
}

/** The guard as the segment watch uses it. */
export interface RouterIdListener {
  /** The ids to listen for now. */
  readonly watched: () => readonly WatchedRouterId[];
  /** Takes the adverts of one round. A round that began before the current attempt listened for other ids, and is ignored. */
  readonly hear: (round: {
    readonly listenedFor: readonly WatchedRouterId[];
    readonly foreign: readonly ForeignAdvert[];
    /** When listening for these ids began. */
    readonly sinceMs: number;
  }) => void;
  /** Ends the current attempt if the failed round was part of it. */
  readonly fail: (listenedFor: readonly WatchedRouterId[], message: string) => void;
}

type Verdict =
  | { readonly kind: 'free' }
  | { readonly kind: 'conflict'; readonly conflict: RouterIdConflict }
  | { readonly kind: 'unknown'; readonly message: string };

/** One attempt to listen for the ids of a model. Times are monotonic milliseconds. */
interface Attempt {
  readonly key: string;
  readonly model: KeepalivedModel;
  readonly refusals: number;
  readonly listenMs: number;
  readonly until: number;
  readonly heard: readonly ForeignAdvert[];
  readonly isOver: boolean;
  readonly retryAt: number;
}

/**
 * Prevents a node from competing with a virtual router id that another cluster uses on the segment: both clusters would log
 * errors many times a second, or obey each other's adverts. A node that advertises one of our VIPs with another id is a conflict
 * too, as both would hold the VIP. A failure to listen is logged once and keeps no node out. An admitted node is not checked.
 */
export function createRouterIdGuard(
  { forceVirtualRouterId }: Pick<KeepalivedMonitorSettings, 'forceVirtualRouterId'>,
  parts: {
    readonly clusterName: string;
    /** The instances in keepalived.conf when this monitor started. */
    readonly configured: readonly WatchedInstance[];
    readonly isAdmitted: () => boolean;
    readonly wake: () => void;
  },
  observers: KeepalivedMonitorObservers,
): RouterIdGuard & RouterIdListener {
  const { clusterName, configured, isAdmitted, wake } = parts;
  let attempt: Attempt | undefined;
  let verdict: Verdict | undefined;
  const end = (result: Verdict): void => {
    if (attempt === undefined) return;
    verdict = result;
    logVerdict(result, attempt.model, clusterName, observers);
    const isConflict = result.kind === 'conflict';
    const refusals = isConflict ? attempt.refusals + 1 : 0;
    const retryInMs = isConflict ? retryPauseMs(refusals, RETRY) : Number.POSITIVE_INFINITY;
    attempt = { ...attempt, refusals, isOver: true, retryAt: monotonicMs() + retryInMs };
  };
  const isCurrent = (listenedFor: readonly WatchedRouterId[]): boolean =>
    attempt?.isOver === false && attempt.key === JSON.stringify(listenedFor);
  return {
    prepare: (model) => {
      if (model === undefined) {
        [attempt, verdict] = [undefined, undefined];
        observers.metrics.virtualRouterIdTaken(false);
        return;
      }
      if (forceVirtualRouterId || isAdmitted()) return;
      const key = JSON.stringify(watchedRouterIds(model));
      const before = key === attempt?.key ? attempt : undefined;
      if (before !== undefined && (!before.isOver || monotonicMs() < before.retryAt)) return;
      if (before === undefined) verdict = undefined;
      const refusals = before?.refusals ?? 0;
      const listenMs = refusals === 0 && hasIdsOf(configured, model) ? LISTEN_AGAIN_MS : LISTEN_MS;
      const until = monotonicMs() + listenMs + LATE_MS;
      attempt = { key, model, refusals, listenMs, until, heard: [], isOver: false, retryAt: 0 };
      wake();
    },
    fact: () => {
      if (attempt === undefined) return { kind: 'free' };
      if (verdict === undefined)
        return { kind: 'listening', until: Math.max(attempt.until, monotonicMs() + LATE_MS) };
      return { kind: verdict.kind === 'conflict' ? 'conflict' : 'free' };
    },
    conflict: () => (verdict?.kind === 'conflict' ? explainConflict(verdict.conflict, clusterName) : null),
    watched: () => (attempt === undefined || attempt.isOver ? [] : watchedRouterIds(attempt.model)),
    hear: ({ listenedFor, foreign, sinceMs }) => {
      if (attempt === undefined || !isCurrent(listenedFor)) return;
      attempt = { ...attempt, heard: [...attempt.heard, ...foreign] };
      if (monotonicMs() - sinceMs < attempt.listenMs) return;
      const conflict = routerIdConflict(attempt.model, attempt.heard);
      end(conflict === undefined ? { kind: 'free' } : { kind: 'conflict', conflict });
    },
    fail: (listenedFor, message) => {
      if (isCurrent(listenedFor)) end({ kind: 'unknown', message });
    },
  };
}

function hasIdsOf(configured: readonly WatchedInstance[], { instances }: KeepalivedModel): boolean {
  return instances.every(({ virtualRouterId, vip, interface: name }) =>
    configured.some(
      (each) =>
        each.virtualRouterId === virtualRouterId &&
        each.vips.some(({ address, interface: device }) => address === vip && device === name),
    ),
  );
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
