import { createWake } from '../../engine/system/time/wake.ts';
import { asksFor, defaultDnsTiming, keepSet, type SetMeans } from './keep-set.ts';
import type { DnsStatus } from './target.ts';

export interface RecordKeeper {
  /** The own pod may have changed. */
  readonly hear: () => void;
  /** Resolves once `signal` has aborted and the Lease is released: keep the session open until then. Rejects only for a bug. */
  readonly run: (signal: AbortSignal) => Promise<void>;
  /** Null while the annotation requests no records. */
  readonly view: () => DnsStatus | null;
}

/**
 * Keeps the DNS records that the own pod's annotation requests: one A record per name, with the external addresses of all ready
 * replicas. The replica that holds a Lease writes. Without the annotation it sends no request, and no error here affects HAProxy's
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
    hear: wake.poke,
    view: () => shown,
    run: async (signal) => {
      while (!signal.aborted) {
        const own = means.own();
        if (own === undefined || !asksFor(own)) await wake.sleep(timing.lookMs, signal);
        else await keepSet(own, { ...means, wake, show, timing }, signal);
      }
    },
  };
}
