import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import type { ApiSession } from '../../engine/kube/api-session.ts';
import type { Selector } from '../../engine/kube/label-selector.ts';
import { contendForLease, defaultLeaseTiming, type LeaseTiming } from '../../engine/kube/lease.ts';
import { type Outage, trackOutage } from '../../engine/kube/outage.ts';
import { patchStatus, type StatusOutcome } from '../../engine/kube/patch-status.ts';
import type { Log } from '../../engine/system/log.ts';
import { monotonicMs } from '../../engine/system/time/monotonic-clock.ts';
import { type RetryLimits, retryPauseMs } from '../../engine/system/time/retry.ts';
import { createWorkQueue, startWorkers, type WorkResult } from '../../engine/system/time/workqueue.ts';
import type { DesiredStatuses, StatusKind } from './status-kind.ts';
import { createStatusTable, type PendingStatus, type StatusTable } from './status-table.ts';

export interface StatusWriterSettings {
  readonly session: Pick<ApiSession, 'firstAnswer'>;
  /** The router's name. */
  readonly router: string;
  /** The label selectors with which objects are listed. */
  readonly labels: Selector | undefined;
  /** The Lease whose holder writes. All replicas of a router share it. */
  readonly lease: { readonly namespace: string; readonly name: string };
  readonly report: Log;
  /** Called for each successful or failed write, and each time another writer changes this router's part. */
  readonly count: (what: StatusCount) => void;
  readonly timing?: Partial<StatusTiming>;
}

export type StatusCount = 'written' | 'failed' | 'contended';

export interface StatusTiming {
  readonly lease: LeaseTiming;
  readonly writesPerSecond: number;
  readonly requestTimeoutMs: number;
  /** How often contentions are forgotten and all statuses are checked again. */
  readonly resyncMs: number;
  /** For one object. */
  readonly retry: RetryLimits;
  /** For all objects, while no API server answers. */
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

/** Enough for that rate if responses take 15 ms. */
const MAX_CONCURRENT = 8;
/** Per namespace. */
const MAX_CONTENTIONS = 5;

/** Writes the statuses of one kind. */
interface KindWriter<Entry> {
  /** Records an object from a list or watch event, whether or not it changed. Never throws. */
  readonly observe: (object: unknown) => void;
  /** Sets the newest decision's desired statuses, also for pending writes. */
  readonly setDesired: (statuses: DesiredStatuses<Entry>) => void;
}

interface StatusWriter {
  /** All kinds share the Lease, the queue and its limits. */
  readonly open: <Entry>(kind: StatusKind<Entry>) => KindWriter<Entry>;
  /** Resolves once `signal` has aborted and the Lease was released. The session must stay open until then. */
  readonly ended: Promise<void>;
}

/** One kind, independent of the type of its entries. */
interface Kind {
  readonly about: Pick<StatusKind<never>, 'what' | 'apiVersion' | 'plural' | 'fieldManager' | 'remedies'>;
  readonly table: Omit<StatusTable<never>, 'setDesired'>;
  readonly outage: Outage;
}

/**
 * Writes statuses while this process holds the Lease. Every write is conditional on the version that it is based on, so that writers never silently
 * overwrite each other. Failed writes are retried with backoff. If another writer, such as a router of the same name with other settings, keeps
 * changing this router's part, writing in that namespace pauses until the next resync, so that one tenant cannot delay the statuses of others.
 */
export function startStatusWriter(settings: StatusWriterSettings, signal: AbortSignal): StatusWriter {
  const { session, router, report, count } = settings;
  const timing = { ...defaultTiming, ...settings.timing };
  const kinds = new Map<string, Kind>();
  const { retry, outageRetry, writesPerSecond } = timing;
  const queue = createWorkQueue({
    concurrency: MAX_CONCURRENT,
    retry,
    groupOf: namespaceOf,
    rate: { perSecond: writesPerSecond, burst: writesPerSecond },
  });
  const changedMeanwhile = new Set<string>();
  const running = new Set<string>();
  const contentions = new Map<string, number>();
  /** Consecutive failures while no API server answers, and when writing resumes. */
  let apiFailures = 0;
  let resumeAtMs = 0;
  let resyncAtMs = monotonicMs() + timing.resyncMs;

  const isContended = (namespace: string) => (contentions.get(namespace) ?? 0) >= MAX_CONTENTIONS;

  const writable = ({ table }: Kind, key: string): PendingStatus | undefined => {
    const pending = table.pending(key);
    return pending === undefined || isContended(pending.namespace) ? undefined : pending;
  };

  const consider = (kind: Kind, keys: Iterable<string>): void => {
    if (!lease.isHeld()) return;
    for (const key of keys) {
      if (writable(kind, key) === undefined) queue.forget(workOf(kind, key));
      else queue.add(workOf(kind, key));
    }
    workers.pump();
  };

  const considerAll = (): void => {
    for (const kind of kinds.values()) consider(kind, kind.table.keys());
  };

  const write = async (work: string): Promise<WorkResult> => {
    const { plural, key } = keyOfWork(work);
    const kind = kinds.get(plural);
    const pending = kind && writable(kind, key);
    if (kind === undefined || pending === undefined) return { kind: 'done' };
    const { namespace, name, known, decide } = pending;
    const { apiVersion, fieldManager } = kind.about;
    const object = { apiVersion, plural, namespace, name };
    // After a conflict, the status may come from a newer decision of the replica that now holds the Lease.
    const change = {
      known,
      decide: (current: unknown) => (lease.isHeld() ? decide(current) : undefined),
      fieldManager,
    };
    running.add(work);
    const outcome = await patchStatus(session, object, change, {
      signal,
      timeoutMs: timing.requestTimeoutMs,
    });
    running.delete(work);
    return signal.aborted ? { kind: 'done' } : settle(kind, key, outcome);
  };

  const settle = (kind: Kind, key: string, outcome: StatusOutcome): WorkResult => {
    const { table } = kind;
    const hasChangedMeanwhile = changedMeanwhile.delete(workOf(kind, key));
    if ('object' in outcome) table.recordWrite(outcome.object);
    if (outcome.kind === 'patched') count('written');
    if (outcome.kind === 'gone') table.recordDeletion(key);
    // Without this check, a CRD that drops these fields would be written forever.
    const isOurs = 'object' in outcome && !hasChangedMeanwhile && lease.isHeld();
    const isDropped = isOurs && table.pending(key) !== undefined;
    const problem = isDropped ? dropped : problemOf(outcome);
    if (problem === undefined) return succeeded(kind, key);
    return failed(kind, key, problem);
  };

  const succeeded = (kind: Kind, key: string): WorkResult => {
    apiFailures = 0;
    queue.forget(workOf(kind, key));
    if (queue.failing() === 0) for (const { outage } of kinds.values()) outage.succeeded();
    if (writable(kind, key) !== undefined) queue.add(workOf(kind, key));
    return { kind: 'done' };
  };

  const failed = ({ about, outage }: Kind, key: string, { kind, message }: Problem): WorkResult => {
    count('failed');
    // Concurrent failed writes count as one failure of the API.
    if (apiFailureKinds.has(kind) && monotonicMs() >= resumeAtMs) {
      apiFailures += 1;
      resumeAtMs = monotonicMs() + retryPauseMs(apiFailures, outageRetry);
      queue.pause(resumeAtMs);
    }
    const remedy = kind === '403' ? about.remedies.forbidden : undefined;
    const text = `Cannot write the status of ${about.what} ${key.replace(':', '/')}: ${message}`;
    outage.failed(text, { kind, remedy });
    return { kind: 'failed' };
  };

  const contended = ({ about }: Kind, key: string): void => {
    count('contended');
    const namespace = namespaceOf(key);
    const times = (contentions.get(namespace) ?? 0) + 1;
    contentions.set(namespace, times);
    if (times !== MAX_CONTENTIONS) return;
    report({
      event: 'status-contended',
      level: 'warn',
      router,
      [about.what.toLowerCase()]: key.replace(':', '/'),
      remedy: about.remedies.contended,
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
    { session, ...settings.lease, identity, report, onChange: considerAll, timing: timing.lease },
    signal,
  );
  const resyncs = setInterval(resync, timing.resyncMs);
  signal.addEventListener('abort', () => clearInterval(resyncs), { once: true });

  return {
    open: <Entry>(about: StatusKind<Entry>): KindWriter<Entry> => {
      const table = createStatusTable(about, settings.labels, monotonicMs);
      const outage = trackOutage(report, { failed: 'status-unwritable', recovered: 'status-writable' }, {});
      const kind: Kind = { about, table, outage };
      kinds.set(about.plural, kind);
      return {
        observe: (object) => {
          const found = table.observe(object);
          if (found === undefined) return;
          if (found.isContended && lease.isHeld()) contended(kind, found.key);
          consider(kind, [found.key]);
        },
        setDesired: (statuses) => {
          const changed = table.setDesired(statuses);
          for (const work of changed.map((key) => workOf(kind, key))) {
            queue.forget(work);
            if (running.has(work)) changedMeanwhile.add(work);
          }
          consider(kind, changed);
        },
      };
    },
    ended: lease.ended.then(workers.settled),
  };
}

/** `namespace:name:plural`. No name contains a colon. */
const workOf = ({ about }: Kind, key: string): string => [key, about.plural].join(':');

function keyOfWork(work: string): { readonly plural: string; readonly key: string } {
  const at = work.lastIndexOf(':');
  return { key: work.slice(0, at), plural: work.slice(at + 1) };
}

const namespaceOf = (key: string): string => key.slice(0, key.indexOf(':'));

interface Problem {
  /** Repeated problems of the same kind are logged once. */
  readonly kind: string;
  readonly message: string;
}

/** Failures of the API rather than of one object: other writes would fail too. */
const apiFailureKinds: ReadonlySet<string> = new Set(['no answer', '429', '503', '504']);

const dropped: Problem = { kind: 'dropped', message: 'the API did not keep the written status' };

function problemOf(outcome: StatusOutcome): Problem | undefined {
  switch (outcome.kind) {
    case 'patched':
    case 'unchanged':
    case 'gone':
      return undefined;
    case 'conflict':
      return { kind: 'conflict', message: 'another writer keeps changing the object' };
    case 'refused':
    case 'failure':
      return { kind: `${outcome.status ?? 'no answer'}`, message: outcome.message };
  }
}
