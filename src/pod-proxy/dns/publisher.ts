import type { ApiSession } from '../../engine/kube/api-session.ts';
import { monotonicMs } from '../../engine/system/time/monotonic-clock.ts';
import { type RetryLimits, retryPauseMs } from '../../engine/system/time/retry.ts';
import { createWorkQueue } from '../../engine/system/time/workqueue.ts';
import type { OwnPod } from '../pod/pod.ts';
import type { DnsReport } from './dns-report.ts';
import { createNodeReader, externalAddresses, nodesNeeded } from './external-addresses.ts';
import type { LoadBalancer, Replica } from './proxy-set.ts';
import { findDnsEndpoints, publishDnsEndpoint } from './publish-dns-endpoint.ts';
import { publishInRoute53, type Route53Settings } from './publish-in-route53.ts';
import { type DnsSettings, type DnsStatus, failed, type Publish, type TargetName } from './target.ts';

/** The result of one pass, and when the next one is due. */
export interface Pass extends Pick<DnsStatus, 'addresses' | 'problems'> {
  readonly target: TargetName | null;
  readonly waitMs: number;
}

export interface PublisherTiming {
  /** The backoff after a failure. */
  readonly retry: RetryLimits;
  /** How often to check whether a write is due. Nodes are read again after this time. */
  readonly checkMs: number;
}

interface Means {
  readonly settings: DnsSettings;
  readonly session: ApiSession;
  readonly own: OwnPod;
  /** The name of the objects written to the cluster. */
  readonly object: { readonly namespace: string; readonly name: string };
  readonly report: Pick<DnsReport, 'written' | 'chosen'>;
  readonly timing: PublisherTiming;
}

/** The time limit for all records of one pass. */
const PUBLISH_MS = 60_000;

/** Returns the writer of the records, which starts no write after `signal` has aborted. */
export function createPublisher(
  { settings, session, own, object, report, timing }: Means,
  signal: AbortSignal,
) {
  const { dns, dnsZone: zone, dnsInterval: repairMs, env } = settings;
  const readNodes = createNodeReader(session, timing.checkMs, monotonicMs);
  const newTenure = () => ({
    queue: createWorkQueue({ concurrency: 1, retry: timing.retry }),
    what: '',
    end: new AbortController(),
  });
  const region = env['AWS_REGION'] || 'us-east-1';
  const comment = `hawser ${own.namespace}/${own.name}`;
  const route53 = { zone, region, comment, zonesKeptMs: repairMs, nowMs: monotonicMs };
  let tenure = newTenure();
  let target: Target | undefined;
  let last = failed();
  /** Consecutive passes that did not get as far as the records. */
  let failures = 0;

  const choose = async (): Promise<Target | { readonly kind: 'failure'; readonly message: string }> => {
    const chosen = await chooseTarget(dns, { session, object, route53 }, signal);
    if (chosen.kind === 'failure') return chosen;
    target = chosen;
    report.chosen(target.name);
    return target;
  };
  const incomplete = (problems: readonly string[], waitMs: number): Pass => ({
    target: target?.name ?? null,
    addresses: null,
    problems,
    waitMs,
  });
  const unprepared = (problem: string): Pass => {
    failures += 1;
    return incomplete([problem], retryPauseMs(failures, timing.retry));
  };

  return {
    /** Must be called when another replica may write: stops the write in progress and forgets the published records. */
    yield: (): void => {
      tenure.end.abort(new Error('another replica may write now'));
      tenure = newTenure();
    },
    /** Writes the records if they are due. */
    publish: async (
      names: readonly string[],
      replicas: readonly Replica[],
      balancers: readonly LoadBalancer[],
    ): Promise<Pass> => {
      const current = tenure;
      const to = target ?? (await choose());
      if (to.kind === 'failure') return unprepared(to.message);
      if (names.length === 0) return incomplete([], timing.checkMs);
      const found = await readNodes(nodesNeeded(replicas, balancers), signal);
      if (found.kind === 'failure') return unprepared(found.message);
      failures = 0;
      const { addresses, problems: missing } = externalAddresses(replicas, balancers, found.nodes);
      const problems = [...found.problems, ...missing];
      if (addresses.length === 0) return incomplete(problems, timing.checkMs);
      const what = JSON.stringify([names, addresses]);
      // Another replica may write since the Nodes were requested.
      if (current.end.signal.aborted) return incomplete([], timing.checkMs);
      // New records are published at once, even while the previous ones are in backoff.
      if (current.what !== what) current.queue.forget(current.what);
      current.what = what;
      current.queue.add(what);
      if (current.queue.take(monotonicMs()) !== undefined) {
        const controller = replicas.find(({ name }) => name === own.name)?.controller;
        const until = AbortSignal.any([signal, current.end.signal, AbortSignal.timeout(PUBLISH_MS)]);
        last = await to.publish({ names, addresses, controller }, until);
        if (last.problems.length > 0) current.queue.failed(what, monotonicMs());
        else current.queue.done(what, monotonicMs(), repairMs);
        report.written(last.written, addresses);
      }
      const all = [...problems, ...last.problems];
      return { target: to.name, addresses, problems: all, waitMs: current.queue.waitMs(monotonicMs()) ?? 0 };
    },
  };
}

interface Target {
  readonly kind: 'target';
  readonly name: TargetName;
  readonly publish: Publish;
}

/**
 * Chooses the writer from the setting; `auto` is ExternalDNS if the cluster has current DNSEndpoint. The choice is made once, because a record that
 * changes between two writers would have no owner meanwhile.
 */
async function chooseTarget(
  setting: TargetName | 'auto',
  means: {
    readonly session: Pick<ApiSession, 'firstAnswer'>;
    readonly object: { readonly namespace: string; readonly name: string };
    readonly route53: Route53Settings;
  },
  signal: AbortSignal,
): Promise<Target | { readonly kind: 'failure'; readonly message: string }> {
  const found = setting === 'auto' ? await findDnsEndpoints(means.session, signal) : undefined;
  if (found?.kind === 'failure') return found;
  return setting === 'external-dns' || found?.kind === 'present'
    ? { kind: 'target', name: 'external-dns', publish: publishDnsEndpoint(means.session, means.object) }
    : { kind: 'target', name: 'route53', publish: publishInRoute53(means.route53) };
}
