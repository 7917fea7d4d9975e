import { createWake } from '../../engine/system/time/wake.ts';
import type { DnsStatus } from './dns-status.ts';
import { asksFor, defaultDnsTiming, keepSet, type SetMeans } from './keep-set.ts';

export interface RecordKeeper {
  /** The own pod may have changed. */
  readonly hear: () => void;
  /** Resolves once `signal` has aborted and the Lease was given back: the session must live until then. Rejects only for a bug. */
  readonly run: (signal: AbortSignal) => Promise<void>;
  /** Null while the annotation asks for no record. */
  readonly view: () => DnsStatus | null;
}

/**
 * Keeps the DNS records that the annotation of the own pod asks for: one A record a name, with the external addresses of all
 * replicas that are ready. The replica that holds a Lease writes. Nothing is asked of anybody before there is such an annotation,
 * and nothing that goes wrong here touches HAProxy's configuration.
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
