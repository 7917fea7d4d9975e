import * as z from 'zod/mini';
import type { SeenNode } from '../../engine/examine/seen.ts';
import { lastChangeSchema } from '../../engine/reconcile/last-change-schema.ts';
import type { ProxyStatus } from '../proxy-status.ts';

const problem = z.object({ reason: z.string(), message: z.string(), detail: z.optional(z.string()) });

const dns = z.object({
  target: z.nullable(z.string()),
  names: z.array(z.string()),
  addresses: z.nullable(z.array(z.string())),
  problems: z.array(z.string()),
});

/** What `GET /status` of the pod proxy answers, as far as people are shown it. */
export const proxyStatusSchema = z.object({
  version: z.string(),
  pod: z.string(),
  known: z.boolean(),
  hosts: z.nullable(z.record(z.string(), z.array(z.string()))),
  problem: z.nullable(problem),
  lastProblem: z.nullable(z.extend(problem, { agoMs: z.number() })),
  /** Missing in the answer of an older version. */
  dns: z.nullish(dns),
  configSha256: z.nullable(z.string()),
  lastChange: z.nullable(lastChangeSchema),
} satisfies Readonly<Partial<Record<keyof ProxyStatus, z.ZodMiniType>>>);

export type ShownProxy = z.infer<typeof proxyStatusSchema>;

/** A machine, as far as the pod proxy knows it: missing where none runs, null where one is silent. */
export interface PodProxyNode extends SeenNode {
  readonly podProxy?: ShownProxy | null | undefined;
}
