import type { Controller } from './proxy-set.ts';

/** Who makes the records. */
export const targetNames = ['external-dns', 'route53'] as const;

export type TargetName = (typeof targetNames)[number];

export interface DnsSettings {
  readonly dns: TargetName | 'auto';
  /** Of Route 53: `public`, `private`, or the id of a zone. */
  readonly dnsZone: string;
  /** What others have changed is found and repaired so often. */
  readonly dnsInterval: number;
  readonly env: NodeJS.ProcessEnv;
}

/** What is to stand in the DNS: for each name one A record with all addresses, of which there is at least one. */
export interface WantedRecords {
  readonly names: readonly string[];
  readonly addresses: readonly string[];
  /** The object that made the writing pod. */
  readonly controller: Controller | undefined;
}

export interface Published {
  /** The names whose records were written; those that were right already are not among them. */
  readonly written: readonly string[];
  readonly problems: readonly string[];
}

/**
 * Makes the records as they are wanted, and writes nothing that is right already. Nothing is begun once `signal` has aborted, as
 * it does before another replica may write. Never rejects.
 */
export type Publish = (wanted: WantedRecords, signal: AbortSignal) => Promise<Published>;

export const TTL_SECONDS = 60;
/** Of one request. */
export const REQUEST_MS = 5_000;

export function failed(...problems: readonly string[]): Published {
  return { written: [], problems };
}
