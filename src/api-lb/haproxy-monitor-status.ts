import * as z from 'zod/mini';
import { lastChangeSchema } from '../engine/monitor/last-change-schema.ts';

/** A HAProxy monitor's answer to `GET /status`. */
export const haproxyMonitorStatusSchema = z.object({
  version: z.string(),
  source: z.enum(['nodes', 'endpoints', 'static']),
  apiReachable: z.boolean(),
  /** The servers in HAProxy's configuration; null before the first configuration. */
  servers: z.nullable(
    z.array(
      z.object({
        name: z.string(),
        address: z.string(),
        port: z.number(),
        /** An annotation of the server's Node takes it out of rotation. */
        drained: z.exactOptional(z.literal(true)),
      }),
    ),
  ),
  /** Why the observed list is held back; null if it is applied. */
  held: z.nullable(z.string()),
  /** SHA-256 of the last rendered configuration; null before the first. */
  configSha256: z.nullable(z.string()),
  /** Whether HAProxy has a server for clients; null before the first poll. */
  usable: z.nullable(z.boolean()),
  /** `off`: there is no VIP to redirect. */
  redirect: z.enum(['present', 'absent', 'failed', 'off']),
  redirectProblem: z.nullable(z.string()),
  /** The extra ports of the VIP, from the settings. Absent from monitors of earlier versions. */
  extraPorts: z.exactOptional(
    z.array(z.object({ name: z.string(), port: z.number(), listenPort: z.number(), serverPort: z.number() })),
  ),
  /** Why metrics are not served at `metricsListen`; absent if they are served, or if `metricsListen` is not set. */
  metricsProblem: z.exactOptional(z.string()),
  lastChange: z.nullable(lastChangeSchema),
});

export type HaproxyMonitorStatus = z.infer<typeof haproxyMonitorStatusSchema>;
