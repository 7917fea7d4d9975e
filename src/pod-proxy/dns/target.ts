import * as z from 'zod/mini';
import type { Immutable } from '../../engine/system/immutable.ts';
import type { Controller } from './proxy-set.ts';

/** The programs that can write the records. */
export const targetNames = ['external-dns', 'route53'] as const;

export type TargetName = (typeof targetNames)[number];

export interface DnsSettings {
  readonly dns: TargetName | 'auto';
  /** The zones of Route 53: `public`, `private`, or the id of a zone. */
  readonly dnsZone: string;
  /** How often records are compared and repaired. */
  readonly dnsInterval: number;
  readonly env: NodeJS.ProcessEnv;
}

/** The desired DNS records: one A record per name, each with all addresses. There is at least one address. */
export interface DesiredRecords {
  readonly names: readonly string[];
  readonly addresses: readonly string[];
  /** The controller of the writing pod. */
  readonly controller: Controller | undefined;
}

export interface Published {
  /** The names whose records were written. Records that were correct already are not included. */
  readonly written: readonly string[];
  readonly problems: readonly string[];
}

/**
 * Writes the records that differ from the desired ones. Starts no request once `signal` has aborted, which happens before another
 * replica may write. Never rejects.
 */
export type Publish = (desired: DesiredRecords, signal: AbortSignal) => Promise<Published>;

export const TTL_SECONDS = 60;
/** The time limit for one request. */
export const REQUEST_MS = 5_000;

export function failed(...problems: readonly string[]): Published {
  return { written: [], problems };
}

/** The DNS part of `GET /status`. */
export const dnsStatusSchema = z.object({
  /** Null if another replica writes, and before the target is chosen. Other versions may have further targets. */
  target: z.nullable(z.string()),
  names: z.array(z.string()),
  /** The desired addresses; null if another replica writes or the addresses are unknown. */
  addresses: z.nullable(z.array(z.string())),
  problems: z.array(z.string()),
});

export type DnsStatus = Immutable<z.infer<typeof dnsStatusSchema>>;
