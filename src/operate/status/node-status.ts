import * as z from 'zod/mini';
import { haproxyMonitorStatusSchema } from '../../api-lb/haproxy-monitor-status.ts';
import { supervisorStatusSchema } from '../../haproxy/supervise/supervisor-status.ts';
import { vrrpStatusSchema } from '../../keepalived/supervise/vrrp-status.ts';
import { keepalivedMonitorStatusSchema } from '../../vip/settings/keepalived-monitor-status.ts';

export const programNames = [
  'haproxy-supervisor',
  'haproxy-monitor',
  'keepalived-supervisor',
  'keepalived-monitor',
] as const;

export type ProgramName = (typeof programNames)[number];

/** One API server as HAProxy of this node sees it. */
const serverSchema = z.object({
  name: z.string(),
  address: z.string(),
  state: z.enum(['up', 'down', 'draining', 'maintenance', 'unchecked']),
  sinceMs: z.number(),
  /** The last check in HAProxy's words: `L7STS/500 in 3ms`, with what it means. */
  check: z.string(),
  sessions: z.number(),
});

/**
 * All that is known of one node at one moment: what its four programs say of themselves, and HAProxy of its servers.
 * Whatever did not answer is null, and `programs` says why. Times are milliseconds.
 */
export const nodeStatusSchema = z.object({
  v: z.literal(1),
  /** ISO 8601, UTC, of the node's own clock. */
  at: z.iso.datetime(),
  node: z.string(),
  programs: z.array(
    z.object({
      name: z.enum(programNames),
      state: z.enum(['answers', 'silent', 'not-asked']),
      /** Where it was asked: `127.0.0.1:29446`. */
      address: z.nullable(z.string()),
      problem: z.nullable(z.string()),
    }),
  ),
  haproxySupervisor: z.nullable(supervisorStatusSchema),
  haproxyMonitor: z.nullable(haproxyMonitorStatusSchema),
  keepalivedSupervisor: z.nullable(vrrpStatusSchema),
  keepalivedMonitor: z.nullable(keepalivedMonitorStatusSchema),
  servers: z.nullable(z.array(serverSchema)),
});

export type NodeStatus = z.infer<typeof nodeStatusSchema>;

/** A node that this one shares the VIP with. */
const peerSchema = z.object({
  name: z.string(),
  address: z.string(),
  /** What it publishes over mutual TLS, or else what can be seen of it from here. */
  published: z.nullable(nodeStatusSchema),
  /** Why there is nothing published: not set up, refused, too late. */
  problem: z.nullable(z.string()),
  observed: z.object({
    /** Its HAProxy's health port, asked from here. */
    health: z.enum(['ready', 'not-ready', 'no-answer', 'not-asked']),
    /** The VIPs that it is seen to hold, because it answers for them. */
    holds: z.array(z.string()),
    /**
     * Its VRRP adverts, which only a holder sends: whether they arrive here, as far as keepalived shows their sender.
     */
    adverts: z.enum(['arrive', 'not-known']),
  }),
});

/** A VIP and its holder, as far as it is known here. */
const vipSchema = z.object({
  vip: z.string(),
  kind: z.enum(['api', 'ingress']),
  /** Names of nodes, or addresses of unknown ones: one is healthy, none or several are not. */
  holders: z.array(z.string()),
  why: z.array(z.string()),
});

/** What `hawser status --json` prints. */
export const clusterStatusSchema = z.object({
  v: z.literal(1),
  verdict: z.enum(['healthy', 'degraded', 'unknown']),
  /** What is not as it should be, worst first; empty where all is well. */
  problems: z.array(z.string()),
  vips: z.array(vipSchema),
  here: nodeStatusSchema,
  peers: z.array(peerSchema),
});

export type ClusterStatus = z.infer<typeof clusterStatusSchema>;
