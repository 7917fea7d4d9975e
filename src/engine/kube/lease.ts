import type { Log } from '../system/log.ts';
import { monotonicMs } from '../system/time/monotonic-clock.ts';
import { sleep } from '../system/time/sleep.ts';
import type { ApiFailure } from './api-request.ts';
import type { ApiSession } from './api-session.ts';
import { askObject, mergePatch, type ObjectAnswer, type WriteLimits } from './ask-object.ts';
import { firstSpec, type LeaseSpec, leaseObject, nextSpec, releasedSpec } from './lease-spec.ts';
import { trackOutage } from './outage.ts';
import { pathOf } from './resource.ts';

interface LeaseSettings {
  readonly session: Pick<ApiSession, 'firstAnswer'>;
  readonly namespace: string;
  readonly name: string;
  /** Unique to this process. */
  readonly identity: string;
  readonly report: Log;
  /** Called when the lease is acquired or lost. It is lost when it expires, even while a renewal hangs. */
  readonly onChange: () => void;
  readonly timing?: LeaseTiming;
  /** Default: the clock of this machine. */
  readonly clock?: LeaseClock;
  /** The remedy to report for a 403. */
  readonly remedy?: string;
}

export interface LeaseTiming {
  /** How long other processes respect the lease after they saw a renewal. Whole seconds. */
  readonly durationMs: number;
  /** Time without a renewal after which the holder stops, before others may take over. */
  readonly renewDeadlineMs: number;
  /** How often the holder renews the lease, and others read it. */
  readonly retryMs: number;
}

interface LeaseClock {
  /** Monotonic. */
  readonly nowMs: () => number;
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
}

const machineClock: LeaseClock = { nowMs: monotonicMs, sleep };

/**
 * The defaults of client-go's leader election. A held lease costs one write every 2 s, and one read per contender. Another process takes over at most
 * 20 s after the holder died.
 */
export const defaultLeaseTiming: LeaseTiming = {
  durationMs: 15_000,
  renewDeadlineMs: 10_000,
  retryMs: 2_000,
};

export interface Lease {
  /** False as soon as the last renewal is too old, even while a request hangs. */
  readonly isHeld: () => boolean;
  /** Resolves once `signal` has aborted and a held lease was released, or the release timed out. */
  readonly ended: Promise<void>;
}

/**
 * Holds a Lease (coordination.k8s.io/v1) whenever no other process does, until `signal` aborts. As in client-go, clocks are not compared: a lease has
 * expired once this process has seen no change of it for its duration. A holder renews with a single write, and reads the lease only after that write
 * was refused.
 */
export function contendForLease(settings: LeaseSettings, signal: AbortSignal): Lease {
  const { timing = defaultLeaseTiming, clock = machineClock } = settings;
  const { namespace, name, identity, report, onChange } = settings;
  const { nowMs } = clock;
  const object = { apiVersion: 'coordination.k8s.io/v1', plural: 'leases', namespace, name };
  const outage = trackOutage(report, { failed: 'lease-unavailable', recovered: 'lease-recovered' }, { name });
  let observed: { readonly spec: string; readonly sinceMs: number } | undefined;
  let heldUntilMs = Number.NEGATIVE_INFINITY;
  /** Resource version of the lease after this process's last write. */
  let ownVersion: string | undefined;
  let wasHeld = false;
  /** A write without an answer may have been carried out. */
  let mayHaveWritten = false;
  let expiry: NodeJS.Timeout | undefined;

  const isHeld = () => nowMs() < heldUntilMs;

  const notifyChange = (): void => {
    if (isHeld() === wasHeld) return;
    wasHeld = isHeld();
    report({ event: wasHeld ? 'lease-acquired' : 'lease-lost', name, identity });
    onChange();
  };

  const holdUntil = (atMs: number): void => {
    heldUntilMs = atMs;
    notifyUntilExpiry();
  };

  /** Checks again, because Node's timers may fire up to a millisecond early. */
  const notifyUntilExpiry = (): void => {
    clearTimeout(expiry);
    notifyChange();
    const leftMs = heldUntilMs - nowMs();
    if (leftMs > 0 || wasHeld) expiry = setTimeout(notifyUntilExpiry, Math.max(0, Math.ceil(leftMs))).unref();
  };

  /** Timeout of one attempt over all API servers. */
  const limits = (asked?: AbortSignal): WriteLimits => {
    const timeout = AbortSignal.timeout(timing.renewDeadlineMs);
    const limit = asked === undefined ? timeout : AbortSignal.any([asked, timeout]);
    return { signal: limit, timeoutMs: timing.renewDeadlineMs / 2 };
  };

  const ask = async (request: Parameters<typeof askObject>[1], limits: WriteLimits) => {
    if (request.method !== 'GET') mayHaveWritten = true;
    return await askObject(settings.session, request, limits);
  };

  const hasExpired = (spec: LeaseSpec): boolean => {
    const text = JSON.stringify(spec);
    if (observed?.spec !== text) observed = { spec: text, sinceMs: nowMs() };
    return nowMs() - observed.sinceMs >= (spec.leaseDurationSeconds ?? 0) * 1_000;
  };

  const create = async (limits: WriteLimits): Promise<ObjectAnswer | ApiFailure> => {
    const { apiVersion } = object;
    const spec = firstSpec(identity, timing.durationMs, new Date());
    const body = { apiVersion, kind: 'Lease', metadata: { namespace, name }, spec };
    return await ask({ method: 'POST', path: pathOf(object), body }, limits);
  };

  /** Renews a held lease without reading it. Returns undefined if it was changed since this process's last write. */
  const renew = async (limits: WriteLimits): Promise<ObjectAnswer | ApiFailure | undefined> => {
    if (!isHeld() || ownVersion === undefined) return undefined;
    const spec = nextSpec({ holderIdentity: identity }, identity, timing.durationMs, new Date());
    const answer = await ask(mergePatch(object, ownVersion, { spec }), limits);
    return answer.kind === 'refused' ? undefined : answer;
  };

  /** One attempt to acquire or renew the lease. Returns undefined if another process holds it. */
  const attempt = async (limits: WriteLimits): Promise<ObjectAnswer | ApiFailure | undefined> => {
    const read = await ask({ method: 'GET', path: pathOf(object, name) }, limits);
    if (read.kind === 'refused' && read.status === 404) return await create(limits);
    if (read.kind !== 'object') return read;
    const parsed = leaseObject.safeParse(read.value);
    if (!parsed.success) return { kind: 'failure', status: undefined, message: 'the answer is not a Lease' };
    const { metadata, spec } = parsed.data;
    const isFree = (spec.holderIdentity ?? '') === '' || spec.holderIdentity === identity;
    const expired = hasExpired(spec);
    if (!isFree && !expired) return undefined;
    const next = nextSpec(spec, identity, timing.durationMs, new Date());
    return await ask(mergePatch(object, metadata.resourceVersion, { spec: next }), limits);
  };

  const contend = async (): Promise<void> => {
    const beganAtMs = nowMs();
    const within = limits(signal);
    const answer = (await renew(within)) ?? (await attempt(within));
    if (signal.aborted) return;
    if (answer?.kind !== 'failure') mayHaveWritten = false;
    ownVersion = answer?.kind === 'object' ? versionIn(answer.value) : undefined;
    if (answer?.kind === 'object') holdUntil(beganAtMs + timing.renewDeadlineMs);
    if (answer === undefined) holdUntil(Number.NEGATIVE_INFINITY);
    const isOut = answer?.kind === 'failure' || (answer?.kind === 'refused' && answer.status !== 409);
    const isForbidden = isOut && answer.status === 403;
    if (isOut)
      outage.failed(answer.message, isForbidden ? { kind: 'forbidden', remedy: settings.remedy } : undefined);
    else outage.succeeded();
  };

  const release = async (): Promise<void> => {
    clearTimeout(expiry);
    if (!isHeld() && !mayHaveWritten) return;
    heldUntilMs = Number.NEGATIVE_INFINITY;
    const within = limits();
    const read = await ask({ method: 'GET', path: pathOf(object, name) }, within);
    const parsed = leaseObject.safeParse(read.kind === 'object' ? read.value : undefined);
    if (!parsed.success || parsed.data.spec.holderIdentity !== identity) return;
    const { resourceVersion } = parsed.data.metadata;
    await ask(mergePatch(object, resourceVersion, { spec: releasedSpec(new Date()) }), within);
  };

  const run = async (): Promise<void> => {
    while (!signal.aborted) {
      await contend();
      // Jitter spreads contenders that started together.
      const scatter = isHeld() ? 1 : 1 + Math.random() / 5;
      await clock.sleep(timing.retryMs * scatter, signal);
    }
    await release();
  };
  return { isHeld, ended: run() };
}

function versionIn(lease: unknown): string | undefined {
  return leaseObject.safeParse(lease).data?.metadata.resourceVersion;
}
