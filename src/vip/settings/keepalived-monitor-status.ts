import * as z from 'zod/mini';
import { lastChangeSchema } from '../../engine/monitor/last-change-schema.ts';
import type { Immutable } from '../../engine/system/immutable.ts';
import { vipKinds } from '../../keepalived/vip-kind.ts';

/** This node's priority for the VIPs of one kind, and its terms. */
const vipPrioritySchema = z.object({
  kind: z.enum(vipKinds),
  vips: z.array(z.string()),
  /** The value in the track file; null before this monitor has written one. */
  value: z.nullable(z.number()),
  holder: z.boolean(),
  /** The checks that determine the value, with their last results. */
  checks: z.array(
    z.object({
      check: z.string(),
      state: z.enum(['ok', 'doubtful', 'failed', 'unknown']),
      message: z.string(),
      sinceMs: z.nullable(z.number()),
    }),
  ),
  /** The terms of the priority: the base priority first, then each addend. Their sum is `priority`. */
  priorityTerms: z.array(z.object({ points: z.number(), why: z.string() })),
  priority: z.number(),
  /** Whether this node competes for these VIPs. `untilMs`: the longest remaining wait in milliseconds, null if it has no known end. */
  participation: z.object({
    state: z.enum(['in', 'waiting', 'out']),
    reason: z.nullable(z.string()),
    untilMs: z.nullable(z.number()),
  }),
  /** The order of `hawser drain` or `move-vip` that is in effect, as text; null without one. */
  order: z.nullable(z.string()),
});

/** Names of checks that are not about this node's own server. */
export const LOCAL_API_CHECK = 'local API server';
export const PEERS_CHECK = 'other nodes';

/** The response of a keepalived monitor to `GET /status`. */
export const keepalivedMonitorStatusSchema = z.object({
  version: z.string(),
  clusterName: z.nullable(z.string()),
  priorities: z.array(vipPrioritySchema),
  /** The nodes that share the API VIP, including this one, with their base priorities. */
  group: z.array(
    z.object({ name: z.string(), address: z.string(), priority: z.number(), self: z.boolean() }),
  ),
  /** The hash of the last rendered configuration; null before the first. */
  configSha256: z.nullable(z.string()),
  /** The VIPs that another host holds too, with the host. */
  splitBrain: z.array(z.object({ vip: z.string(), holders: z.array(z.string()) })),
  /** The message of a virtual router id conflict that keeps this node out; null without one. */
  virtualRouterIdTaken: z.nullable(z.string()),
  /** Why metrics are not served at `metricsListen`; absent if they are, or if `metricsListen` is not set. */
  metricsProblem: z.exactOptional(z.string()),
  lastChange: z.nullable(lastChangeSchema),
});

export type KeepalivedMonitorStatus = Immutable<z.infer<typeof keepalivedMonitorStatusSchema>>;
