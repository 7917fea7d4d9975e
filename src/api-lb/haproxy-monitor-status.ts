import * as z from 'zod/mini';
import { lastChangeSchema } from '../engine/monitor/last-change-schema.ts';

/** A HAProxy monitor's answer to `GET /status`. */
export const haproxyMonitorStatusSchema = z.object({
  version: z.string(),
  source: z.enum(['nodes', 'endpoints', 'static']),
  apiReachable: z.boolean(),
  /** The list in HAProxy's configuration, null without one. */
  servers: z.nullable(
    z.array(
      z.object({
        name: z.string(),
        address: z.string(),
        port: z.number(),
        /** Out of rotation by an annotation of its Node. */
        drained: z.exactOptional(z.literal(true)),
      }),
    ),
  ),
  /** Why an observed list is not applied; null if it is. */
  held: z.nullable(z.string()),
  /** Of the last rendered configuration; null before the first. */
  configSha256: z.nullable(z.string()),
  /** HAProxy has a server that it would send a client to. */
  usable: z.nullable(z.boolean()),
  /** `off`: there is no VIP to redirect. */
  redirect: z.enum(['present', 'absent', 'failed', 'off']),
  redirectProblem: z.nullable(z.string()),
  /** More ports of the VIP, as the settings have them. A monitor of an earlier version has none. */
  extraPorts: z.exactOptional(
    z.array(z.object({ name: z.string(), port: z.number(), listenPort: z.number(), serverPort: z.number() })),
  ),
  /** Why nothing is served at `metricsListen`; absent if it is, or if it is not set. */
  metricsProblem: z.exactOptional(z.string()),
  lastChange: z.nullable(lastChangeSchema),
});

export type HaproxyMonitorStatus = z.infer<typeof haproxyMonitorStatusSchema>;
