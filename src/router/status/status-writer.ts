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
import type { StatusKind, WantedStatuses } from './status-kind.ts';
import { createStatusTable, type PendingStatus, type StatusTable } from './status-table.ts';

export interface StatusWriterSettings {
  readonly session: Pick<ApiSession, 'firstAnswer'>;
  /** The router's name. */
  readonly router: string;
  /** The selectors with which objects are listed. */
  readonly labels: Selector | undefined;
  /** Of the Lease whose holder writes: all replicas of a router share it. */
  readonly lease: { readonly namespace: string; readonly name: string };
  readonly report: Log;
  /** Called for each successful or failed write, and each change of what is ours by another writer. */
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
  /** Of one object. */
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
const MAX_CONCURRENT = 8;
/** In one namespace. */
const MAX_CONTENTIONS = 5;

/** The statuses of one kind of objects. */
interface KindWriter<Wish> {
  /** Takes every object in a list or a watch event, whether or not it changed. Never throws. */
  readonly see: (object: unknown) => void;
  /** Takes the newest decision's desired statuses; pending writes use them. */
  readonly want: (statuses: WantedStatuses<Wish>) => void;
}

interface StatusWriter {
  /** All kinds share the Lease, the queue and its limits. */
  readonly open: <Wish>(kind: StatusKind<Wish>) => KindWriter<Wish>;
  /** Resolves once `signal` has aborted and the Lease was released: the session must stay open until then. */
  readonly ended: Promise<void>;
}

/** One kind of objects, whatever its wishes are. */
interface Kind {
  readonly about: Pick<StatusKind<never>, 'what' | 'apiVersion' | 'plural' | 'fieldManager' | 'remedies'>;
  readonly table: Omit<StatusTable<never>, 'want'>;
  readonly outage: Outage;
}

/**
 * Writes statuses while this process holds the Lease. Every write names the version it is based on, so that two writers never silently undo each
 * other's work. Failed writes are retried with backoff. If another writer keeps changing what is ours in a namespace, as a router of the same name
 * with other settings does, writing stops in that namespace until the next resync: one tenant's program does not delay other tenants' statuses.
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
  const renewed = new Set<string>();
  const running = new Set<string>();
  const contentions = new Map<string, number>();
  /** Failures in a row while no API server answers, and when writing resumes. */
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
    // A conflict may be a newer decision of the replica that has taken the Lease over.
    const change = {
      known,
      decide: (its: unknown) => (lease.isHeld() ? decide(its) : undefined),
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
    const isRenewed = renewed.delete(workOf(kind, key));
    if ('object' in outcome) table.wrote(outcome.object);
    if (outcome.kind === 'patched') count('written');
    if (outcome.kind === 'gone') table.gone(key);
    // Otherwise a CRD without these fields would be written forever.
    const isOurs = 'object' in outcome && !isRenewed && lease.isHeld();
    const isLost = isOurs && table.pending(key) !== undefined;
    const problem = isLost ? lost : problemOf(outcome);
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
    // Writes that were in progress together count as one failure of the API.
    if (apiTroubles.has(kind) && monotonicMs() >= resumeAtMs) {
      apiFailures += 1;
      resumeAtMs = monotonicMs() + retryPauseMs(apiFailures, outageRetry);
      queue.pause(resumeAtMs);
    }
    const remedy = kind === '403' ? about.remedies.forbidden : undefined;
    const words = `Cannot write the status of ${about.what} ${key.replace(':', '/')}: ${message}`;
    outage.failed(words, { kind, remedy });
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
    open: <Wish>(about: StatusKind<Wish>): KindWriter<Wish> => {
      const table = createStatusTable(about, settings.labels, monotonicMs);
      const outage = trackOutage(report, { failed: 'status-unwritable', recovered: 'status-writable' }, {});
      const kind: Kind = { about, table, outage };
      kinds.set(about.plural, kind);
      return {
        see: (object) => {
          const found = table.see(object);
          if (found === undefined) return;
          if (found.isContended && lease.isHeld()) contended(kind, found.key);
          consider(kind, [found.key]);
        },
        want: (statuses) => {
          const changed = table.want(statuses);
          for (const work of changed.map((key) => workOf(kind, key))) {
            queue.forget(work);
            if (running.has(work)) renewed.add(work);
          }
          consider(kind, changed);
        },
      };
    },
    ended: lease.ended.then(workers.settled),
  };
}

/** `namespace:name:plural`: no name has a colon. */
const workOf = ({ about }: Kind, key: string): string => [key, about.plural].join(':');

function keyOfWork(work: string): { readonly plural: string; readonly key: string } {
  const at = work.lastIndexOf(':');
  return { key: work.slice(0, at), plural: work.slice(at + 1) };
}

const namespaceOf = (key: string): string => key.slice(0, key.indexOf(':'));

interface Problem {
  /** Repeats of one kind are not reported. */
  readonly kind: string;
  readonly message: string;
}

/** The failure is not about this object: the next one would fail as well. */
const apiTroubles: ReadonlySet<string> = new Set(['no answer', '429', '503', '504']);

const lost: Problem = { kind: 'lost', message: 'the API did not keep what was written' };

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
