import * as z from 'zod/mini';
import { lastChangeSchema } from '../../engine/monitor/last-change-schema.ts';
import type { Immutable } from '../../engine/system/immutable.ts';
import { vipKinds } from '../../keepalived/vip-kind.ts';

/** This node's priority for the VIPs of one kind, and where it comes from. */
const vipPrioritySchema = z.object({
  kind: z.enum(vipKinds),
  vips: z.array(z.string()),
  /** What is written into the track file; null while this monitor does not speak. */
  value: z.nullable(z.number()),
  holder: z.boolean(),
  /** The checks that the value comes from, in the words of a person: `/haproxy_ready` → `answers`. */
  checks: z.array(
    z.object({
      check: z.string(),
      state: z.enum(['ok', 'doubtful', 'failed', 'unknown']),
      message: z.string(),
      sinceMs: z.nullable(z.number()),
    }),
  ),
  /** How the priority comes about: the place in the list first, then each addend. Their sum is `priority`. */
  priorityTerms: z.array(z.object({ points: z.number(), why: z.string() })),
  priority: z.number(),
  /** Whether this node competes for these VIPs; `untilMs`: how long it waits at most, null if no end is known. */
  participation: z.object({
    state: z.enum(['in', 'waiting', 'out']),
    reason: z.nullable(z.string()),
    untilMs: z.nullable(z.number()),
  }),
  /** What an operator has asked for: `hawser drain`, `move-vip`. */
  order: z.nullable(z.string()),
});

/** Names of checks that are not about this node's own server. */
export const LOCAL_API_CHECK = 'local API server';
export const PEERS_CHECK = 'other nodes';

/** What `GET /status` of a keepalived monitor answers. */
export const keepalivedMonitorStatusSchema = z.object({
  version: z.string(),
  clusterName: z.nullable(z.string()),
  priorities: z.array(vipPrioritySchema),
  /** The nodes that share the API VIP, this one included, with the priorities of their places. */
  group: z.array(
    z.object({ name: z.string(), address: z.string(), priority: z.number(), self: z.boolean() }),
  ),
  /** Of the configuration that was rendered last; null before the first. */
  configSha256: z.nullable(z.string()),
  /** The VIPs that another host holds too, with the host. */
  splitBrain: z.array(z.object({ vip: z.string(), holders: z.array(z.string()) })),
  /** Another cluster's details, where it uses our virtual router id and this node does not join for it. */
  virtualRouterIdTaken: z.nullable(z.string()),
  /** Why nothing is served at `metricsListen`; absent if it is, or if it is not set. */
  metricsProblem: z.exactOptional(z.string()),
  lastChange: z.nullable(lastChangeSchema),
});

export type KeepalivedMonitorStatus = Immutable<z.infer<typeof keepalivedMonitorStatusSchema>>;
