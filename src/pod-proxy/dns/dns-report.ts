import type { Observers } from '../../engine/monitor/observers.ts';
import { type MetricsRegistry, simpleGauge } from '../../engine/observe/metrics-registry.ts';
import type { OwnPod, PodEvent } from '../pod/pod.ts';
import type { TargetName } from './target.ts';

export function createDnsMetrics(registry: MetricsRegistry) {
  const addresses = simpleGauge(
    registry,
    'hawser_proxy_dns_addresses',
    "External addresses in this proxy's DNS records, 0 if another replica writes them.",
  );
  const refused = simpleGauge(
    registry,
    'hawser_proxy_dns_refused',
    '1 while a DNS record cannot be corrected.',
  );
  const written = registry.counter('hawser_proxy_dns_writes_total', 'DNS records that were written.');
  return { addresses, refused, written: (records: number) => written({}, records) };
}

/** The log and metrics of the DNS records. */
export interface DnsObservers extends Pick<Observers, 'log' | 'once'> {
  readonly metrics: { readonly dns: ReturnType<typeof createDnsMetrics> };
}

export type DnsReport = ReturnType<typeof createDnsReport>;

export function createDnsReport(
  { log, metrics, once }: DnsObservers,
  writeEvent: (own: OwnPod, event: PodEvent) => void,
) {
  return {
    /** Reports problems once, and their end: to the log, the metrics, and as an Event of the pod. */
    problems: (own: OwnPod, problems: readonly string[]): void => {
      metrics.dns.refused(problems.length > 0);
      if (problems.length === 0) {
        if (!once.clear('dns')) return;
        log({ event: 'dns-recovered' });
        writeEvent(own, {
          type: 'Normal',
          reason: 'DnsPublished',
          message: 'The DNS records are correct again',
        });
      } else if (once.isNew('dns', JSON.stringify(problems))) {
        log({ event: 'dns-failed', level: 'warn', problems });
        writeEvent(own, { type: 'Warning', reason: 'DnsNotPublished', message: problems.join('\n') });
      }
    },
    written: (names: readonly string[], addresses: readonly string[]): void => {
      metrics.dns.written(names.length);
      if (names.length > 0) log({ event: 'dns-written', names, addresses });
    },
    chosen: (target: TargetName): void => log({ event: 'dns-target', target }),
    /** Logs records that stay although their names are no longer requested. */
    left: (names: readonly string[], target: TargetName): void => {
      if (names.length > 0) log({ event: 'dns-names-left', level: 'warn', names, target });
    },
    /** Clears earlier problems without reporting them as fixed, since no record is requested or another replica writes. */
    ended: (): void => {
      metrics.dns.refused(false);
      once.clear('dns');
    },
  };
}
