import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import type { ApiSession } from '../../engine/kube/api-session.ts';
import type { Selector } from '../../engine/kube/label-selector.ts';
import { contendForLease, defaultLeaseTiming, type LeaseTiming } from '../../engine/kube/lease.ts';
import { trackOutage } from '../../engine/kube/outage.ts';
import { patchStatus, type StatusOutcome } from '../../engine/kube/patch-status.ts';
import type { Log } from '../../engine/system/log.ts';
import { monotonicMs } from '../../engine/system/time/monotonic-clock.ts';
import { type RetryLimits, retryPauseMs } from '../../engine/system/time/retry.ts';
import { createWorkQueue, startWorkers, type WorkResult } from '../../engine/system/time/workqueue.ts';
import type { RouterIdentity } from './ingress-entries.ts';
import { createStatusTable, type PendingStatus } from './status-table.ts';
import type { WantedStatus } from './wanted-statuses.ts';

export interface StatusWriterSettings {
  readonly session: Pick<ApiSession, 'firstAnswer'>;
  readonly router: RouterIdentity;
  /** What the Routes are selected by where they are listed. */
  readonly routeLabels: Selector | undefined;
  /** Of the Lease whose holder writes: all replicas of a router share it. */
  readonly lease: { readonly namespace: string; readonly name: string };
  readonly report: Log;
  /** Called for each successful or failed write, and each change of our entry by another writer. */
  readonly count: (what: StatusCount) => void;
  readonly timing?: Partial<StatusTiming>;
}

export type StatusCount = 'written' | 'failed' | 'contended';

export interface StatusTiming {
  readonly lease: LeaseTiming;
  readonly writesPerSecond: number;
  readonly requestTimeoutMs: number;
  /** After this time contentions are forgotten, and everything is read again. */
  readonly resyncMs: number;
  /** Of one Route. */
  readonly retry: RetryLimits;
  /** Of all, while no API server answers. */
  readonly outageRetry: RetryLimits;
}

const defaultTiming: StatusTiming = {
  lease: defaultLeaseTiming,
  writesPerSecond: 500,
  requestTimeoutMs: 5_000,
  resyncMs: 600_000,
  retry: { firstMs: 1_000, longestMs: 300_000 },
  outageRetry: { firstMs: 500, longestMs: 10_000 },
};

/** Enough for that rate where answers take 15 ms. */
const MOST_AT_ONCE = 8;
/** In one namespace. */
const MOST_CONTENTIONS = 5;

interface StatusWriter {
  /** Takes every Route that a list or a watch tells of, whatever of it has changed. Never throws. */
  readonly see: (route: unknown) => void;
  /** Takes what the newest decision wants: what still waits is written as this one has it. */
  readonly want: (statuses: Map<string, WantedStatus>) => void;
  /** Resolves once `signal` has aborted and the Lease was given back: the session must live until then. */
  readonly ended: Promise<void>;
}

/**
 * Writes the statuses of Routes while this process holds the Lease. Every write names the version it is based on, so that two writers never
 * silently undo each other's work. Failed writes are retried with backoff. If another writer keeps changing our entries in a namespace, as a
 * router of the same name with other settings does, writing stops in that namespace until the next resync: one tenant's program does not delay
 * other tenants' statuses.
 */
export function startStatusWriter(settings: StatusWriterSettings, signal: AbortSignal): StatusWriter {
  const { session, router, report, count } = settings;
  const timing = { ...defaultTiming, ...settings.timing };
  const table = createStatusTable(router, settings.routeLabels, monotonicMs);
  const { retry, outageRetry, writesPerSecond } = timing;
  const queue = createWorkQueue({
    ...{ concurrency: MOST_AT_ONCE, retry, groupOf: namespaceOf },
    rate: { perSecond: writesPerSecond, burst: writesPerSecond },
  });
  const outage = trackOutage(report, { failed: 'status-unwritable', recovered: 'status-writable' }, {});
  const renewed = new Set<string>();
  const running = new Set<string>();
  const contentions = new Map<string, number>();
  /** Failures in a row while no API server answers, and when writing resumes. */
  let [apiFailures, resumeAtMs] = [0, 0];
  let resyncAtMs = monotonicMs() + timing.resyncMs;

  const isContended = (namespace: string) => (contentions.get(namespace) ?? 0) >= MOST_CONTENTIONS;

  const writable = (key: string): PendingStatus | undefined => {
    const pending = table.pending(key);
    return pending === undefined || isContended(pending.namespace) ? undefined : pending;
  };

  const considerAll = (keys = table.keys()): void => {
    if (!lease.isHeld()) return;
    for (const key of keys) {
      if (writable(key) === undefined) queue.forget(key);
      else queue.add(key);
    }
    workers.pump();
  };

  const write = async (key: string): Promise<WorkResult> => {
    const pending = writable(key);
    if (pending === undefined) return { kind: 'done' };
    const { namespace, name, known, decide } = pending;
    const object = { apiVersion: 'route.openshift.io/v1', plural: 'routes', namespace, name };
    // A conflict may be a newer decision of the replica that has taken the Lease over.
    const change = { known, decide: (route: unknown) => (lease.isHeld() ? decide(route) : undefined) };
    running.add(key);
    const outcome = await patchStatus(session, object, change, {
      signal,
      timeoutMs: timing.requestTimeoutMs,
    });
    running.delete(key);
    return signal.aborted ? { kind: 'done' } : settle(key, outcome);
  };

  const settle = (key: string, outcome: StatusOutcome): WorkResult => {
    const isRenewed = renewed.delete(key);
    if ('object' in outcome) table.wrote(outcome.object);
    if (outcome.kind === 'patched') count('written');
    if (outcome.kind === 'gone') table.gone(key);
    // Else a CRD without these fields would be written for ever.
    const isOurs = 'object' in outcome && !isRenewed && lease.isHeld();
    const isLost = isOurs && table.pending(key) !== undefined;
    const problem = isLost ? lost : problemOf(outcome);
    if (problem === undefined) return succeeded(key);
    return failed(key, problem);
  };

  const succeeded = (key: string): WorkResult => {
    apiFailures = 0;
    queue.forget(key);
    if (queue.failing() === 0) outage.succeeded();
    if (writable(key) !== undefined) queue.add(key);
    return { kind: 'done' };
  };

  const failed = (key: string, { kind, message }: Problem): WorkResult => {
    count('failed');
    // Those that were under way together are one failure of the API.
    if (apiTroubles.has(kind) && monotonicMs() >= resumeAtMs) {
      apiFailures += 1;
      resumeAtMs = monotonicMs() + retryPauseMs(apiFailures, outageRetry);
      queue.pause(resumeAtMs);
    }
    const remedy = kind === '403' ? 'expected a role that may patch routes/status' : undefined;
    outage.failed(`Cannot write the status of Route ${key.replace(':', '/')}: ${message}`, { kind, remedy });
    return { kind: 'failed' };
  };

  const contended = (key: string): void => {
    count('contended');
    const namespace = namespaceOf(key);
    const times = (contentions.get(namespace) ?? 0) + 1;
    contentions.set(namespace, times);
    if (times !== MOST_CONTENTIONS) return;
    report({
      ...{ event: 'status-contended', level: 'warn', router: router.name, route: key.replace(':', '/') },
      remedy: 'expected one router of this name, or equal settings of all: --service-name',
      pausedSeconds: Math.ceil((resyncAtMs - monotonicMs()) / 1_000),
    });
  };

  const resync = (): void => {
    resyncAtMs = monotonicMs() + timing.resyncMs;
    contentions.clear();
    considerAll();
  };

  const workers = startWorkers(queue, write, monotonicMs, signal, () => lease.isHeld());
  const identity = `${hostname()}_${randomUUID()}`;
  const lease = contendForLease(
    { session, ...settings.lease, identity, report, onChange: () => considerAll(), timing: timing.lease },
    signal,
  );
  const resyncs = setInterval(resync, timing.resyncMs);
  signal.addEventListener('abort', () => clearInterval(resyncs), { once: true });

  return {
    see: (route) => {
      const found = table.see(route);
      if (found === undefined) return;
      if (found.isContended && lease.isHeld()) contended(found.key);
      considerAll([found.key]);
    },
    want: (statuses) => {
      const changed = table.want(statuses);
      for (const key of changed) {
        queue.forget(key);
        if (running.has(key)) renewed.add(key);
      }
      considerAll(changed);
    },
    ended: lease.ended.then(workers.settled),
  };
}

const namespaceOf = (key: string): string => key.slice(0, key.indexOf(':'));

interface Problem {
  /** Repeats of one kind are not reported. */
  readonly kind: string;
  readonly message: string;
}

/** Nothing about this Route: the next one would fare no better. */
const apiTroubles: ReadonlySet<string> = new Set(['no answer', '429', '503', '504']);

const lost: Problem = { kind: 'lost', message: 'the API did not keep what was written' };

function problemOf(outcome: StatusOutcome): Problem | undefined {
  switch (outcome.kind) {
    case 'patched':
    case 'unchanged':
    case 'gone':
      return undefined;
    case 'conflict':
      return { kind: 'conflict', message: 'another writer keeps changing the Route' };
    case 'refused':
    case 'failure':
      return { kind: `${outcome.status ?? 'no answer'}`, message: outcome.message };
  }
}
