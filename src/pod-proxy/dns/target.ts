import * as z from 'zod/mini';
import type { Immutable } from '../../engine/system/immutable.ts';
import type { Controller } from './proxy-set.ts';

/** Which program writes the records. */
export const targetNames = ['external-dns', 'route53'] as const;

export type TargetName = (typeof targetNames)[number];

export interface DnsSettings {
  readonly dns: TargetName | 'auto';
  /** Of Route 53: `public`, `private`, or the id of a zone. */
  readonly dnsZone: string;
  /** How often records are compared and repaired. */
  readonly dnsInterval: number;
  readonly env: NodeJS.ProcessEnv;
}

/** The desired DNS records: one A record per name, each with all addresses. There is at least one address. */
export interface WantedRecords {
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
 * Writes the records that differ from the desired ones. Starts nothing once `signal` has aborted, which happens before another
 * replica may write. Never rejects.
 */
export type Publish = (wanted: WantedRecords, signal: AbortSignal) => Promise<Published>;

export const TTL_SECONDS = 60;
/** For one request. */
export const REQUEST_MS = 5_000;

export function failed(...problems: readonly string[]): Published {
  return { written: [], problems };
}

/** The DNS part of `GET /status`. */
export const dnsStatusSchema = z.object({
  /** Null if another replica writes, and before it was chosen. A different version may know others. */
  target: z.nullable(z.string()),
  names: z.array(z.string()),
  /** The wanted addresses; null if another replica writes, or they are unknown. */
  addresses: z.nullable(z.array(z.string())),
  problems: z.array(z.string()),
});

export type DnsStatus = Immutable<z.infer<typeof dnsStatusSchema>>;
