import type { ChangeView } from '../engine/reconcile/change-record.ts';
import type { DnsStatus } from './dns/dns-report.ts';
import type { Hosts } from './hosts.ts';
import type { Problem } from './problem.ts';

/** What `GET /status` of the pod proxy answers. */
export interface ProxyStatus extends ChangeView {
  readonly version: string;
  /** `NAMESPACE/NAME`. */
  readonly pod: string;
  /** This pod and what its annotations name are known. */
  readonly known: boolean;
  /** What HAProxy is configured with; null before the first configuration. */
  readonly hosts: Hosts | null;
  /** Why the template is not served, while what was served before goes on; null where it is. */
  readonly problem: Problem | null;
  /** The one before, and how long it is over; null where there was none. */
  readonly lastProblem: (Problem & { readonly agoMs: number }) | null;
  /** Null where no DNS record is asked for. */
  readonly dns: DnsStatus | null;
}
