import { randomUUID } from 'node:crypto';
import type { ApiSession } from '../../engine/kube/api-session.ts';
import { contendForLease, defaultLeaseTiming, type LeaseTiming } from '../../engine/kube/lease.ts';
import type { Outage } from '../../engine/kube/outage.ts';
import type { Resource } from '../../engine/kube/resource.ts';
import { followResources, type ResourceEvent } from '../../engine/kube/resource-view.ts';
import type { Log } from '../../engine/system/log.ts';
import { monotonicMs } from '../../engine/system/time/monotonic-clock.ts';
import { sleep } from '../../engine/system/time/sleep.ts';
import { createWake, type Wake } from '../../engine/system/time/wake.ts';
import type { OwnPod, PodEvent } from '../pod/pod.ts';
import { createTroubles, proxyRemedy } from '../pod/troubles.ts';
import { createDnsReport, type DnsObservers, type DnsReport } from './dns-report.ts';
import { loadBalancersResource, replicasResource } from './proxy-set.ts';
import { createPublisher, type Pass, type PublisherTiming } from './publisher.ts';
import { recordNamesOf } from './record-names.ts';
import type { DnsSettings, DnsStatus, TargetName } from './target.ts';

interface SetMeans {
  readonly settings: DnsSettings;
  readonly session: ApiSession;
  /** Reports an API that does not answer, once for all lists. */
  readonly outage: Outage;
  /** The own pod; undefined until it is listed. */
  readonly own: () => OwnPod | undefined;
  readonly observers: DnsObservers;
  /** Writes an Event about the pod. */
  readonly writeEvent: (own: OwnPod, event: PodEvent) => void;
  readonly show: (status: DnsStatus | null) => void;
  readonly wake: Wake;
  readonly timing: DnsTiming;
}

export interface DnsTiming extends PublisherTiming {
  readonly lease: LeaseTiming;
  /** Changes within this time are published together. */
  readonly settleMs: number;
}

const defaultDnsTiming: DnsTiming = {
  lease: defaultLeaseTiming,
  retry: { firstMs: 1_000, longestMs: 60_000 },
  settleMs: 500,
  checkMs: 30_000,
};

export interface RecordKeeper {
  /** Must be called when the own pod may have changed. */
  readonly onChange: () => void;
  /** Resolves once `signal` has aborted and the Lease is released. The session must stay open until then. Rejects only for a bug. */
  readonly run: (signal: AbortSignal) => Promise<void>;
  /** Null while the annotation requests no records. */
  readonly view: () => DnsStatus | null;
}

/**
 * Maintains the DNS records that the own pod's annotation requests: one A record per name, with the external addresses of all ready
 * replicas. Only the replica that holds the Lease writes. Without the annotation it sends no requests. Errors never affect HAProxy's
 * configuration.
 */
export function keepRecords(
  means: Omit<SetMeans, 'wake' | 'show' | 'timing'> & { readonly timing?: Partial<SetMeans['timing']> },
): RecordKeeper {
  const wake = createWake();
  const timing = { ...defaultDnsTiming, ...means.timing };
  let shown: DnsStatus | null = null;
  const show = (status: DnsStatus | null): void => {
    shown = status;
    means.observers.metrics.dns.addresses(status?.addresses?.length ?? 0);
  };
  return {
    onChange: wake.poke,
    view: () => shown,
    run: async (signal) => {
      while (!signal.aborted) {
        const own = means.own();
        if (own === undefined || !requestsRecords(own)) await wake.sleep(timing.checkMs, signal);
        else await keepSet(own, { ...means, wake, show, timing }, signal);
      }
    },
  };
}

const NO_GROUP = 'Cannot publish DNS records: the pod has no label app, expected one that all replicas share';

/** Maintains the records of all pods with this pod's label `app`, until the annotation is removed or the label changes. */
async function keepSet(first: OwnPod, means: SetMeans, signal: AbortSignal): Promise<void> {
  const { own, wake, timing, show } = means;
  const report = createDnsReport(means.observers, means.writeEvent);
  const stop = new AbortController();
  const until = AbortSignal.any([signal, stop.signal]);
  const set = openSet(first, { ...means, report }, until);
  let previous: readonly string[] = [];
  let target: TargetName | null = null;
  for (let now = first; !until.aborted; now = own() ?? now) {
    const { names, problems } = recordNamesOf(now.annotations);
    const isOver = now.group !== first.group || !requestsRecords(now);
    // ExternalDNS removes a name that leaves its object, but the object itself stays.
    if (target === 'route53' || (target !== null && isOver))
      report.left(
        previous.filter((name) => !names.includes(name)),
        target,
      );
    previous = names;
    if (isOver) {
      report.ended();
      show(null);
      stop.abort();
      break;
    }
    const pass = await set.pass(names);
    if (until.aborted) break;
    const all = [...problems, ...pass.problems];
    target = pass.target;
    if (target === null && all.length === 0) report.ended();
    else report.problems(now, all);
    show({ target, names, addresses: pass.addresses, problems: all });
    await sleep(timing.settleMs, until);
    await wake.sleep(Math.min(timing.checkMs, pass.waitMs), until);
  }
  await set.ended;
}

/** Whether the pod's annotation contains names, valid or not. */
export function requestsRecords({ annotations }: OwnPod): boolean {
  const { names, problems } = recordNamesOf(annotations);
  return names.length + problems.length > 0;
}

interface OpenSet {
  readonly pass: (names: readonly string[]) => Promise<Pass>;
  /** Resolves once the Lease is released. */
  readonly ended: Promise<void>;
}

/** Follows the replicas and their Services, and contends for the Lease of the set. */
function openSet(own: OwnPod, means: SetMeans & { readonly report: DnsReport }, until: AbortSignal): OpenSet {
  const { session, outage, observers, wake, timing } = means;
  const { group } = own;
  const nothing = (...problems: readonly string[]): Pass => ({
    target: null,
    addresses: null,
    problems,
    waitMs: timing.checkMs,
  });
  if (group === undefined) return { pass: async () => nothing(NO_GROUP), ended: Promise.resolve() };
  const troubles = createTroubles(monotonicMs);
  const follow = <T>(resource: Resource<T>) => {
    const note = (event: ResourceEvent): void => {
      troubles.note(resource, event);
      wake.poke();
    };
    const settings = { session, report: observers.log, outage, remedy: proxyRemedy };
    return followResources([resource], settings, note, until);
  };
  const replicas = follow(replicasResource(own, group));
  const balancers = follow(loadBalancersResource(own));
  const object = { namespace: own.namespace, name: `hawser-${group}` };
  const publisher = createPublisher({ ...means, object, own }, until);
  const lease = contend(object, own, { ...means, onLoss: publisher.yield }, until);
  return {
    pass: async (names) => {
      const pods = replicas.objects();
      const services = balancers.objects();
      if (!lease.isHeld()) return nothing(...lease.problems());
      if (pods === undefined || services === undefined) return nothing(...troubles.all());
      const pass = await publisher.publish(names, pods, services);
      if (!lease.isHeld()) return nothing(...lease.problems());
      return { ...pass, problems: [...troubles.lasting(), ...pass.problems] };
    },
    ended: Promise.all([replicas.ended, balancers.ended, lease.ended]).then(() => undefined),
  };
}

function contend(
  object: { readonly namespace: string; readonly name: string },
  own: OwnPod,
  { session, observers, wake, timing, onLoss }: SetMeans & { readonly onLoss: () => void },
  until: AbortSignal,
) {
  let trouble: string | undefined;
  const report: Log = (event) => {
    observers.log(event);
    if (event.event === 'lease-unavailable')
      trouble = [event['error'], event['remedy']].filter((part) => part !== undefined).join(', ');
    if (event.event === 'lease-recovered') trouble = undefined;
    wake.poke();
  };
  const identity = `${own.name}_${randomUUID()}`;
  const onChange = (): void => {
    if (!isHeld()) onLoss();
    wake.poke();
  };
  const remedy = 'expected the permissions of manifests/pod-proxy/dns.yaml';
  const settings = { session, ...object, identity, report, onChange, remedy, timing: timing.lease };
  const { isHeld, ended } = contendForLease(settings, until);
  const problems = (): readonly string[] =>
    trouble === undefined ? [] : [`Cannot hold Lease "${object.name}": ${trouble}`];
  return { isHeld, ended, problems };
}
