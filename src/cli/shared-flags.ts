import * as z from 'zod/mini';
import type { Flag, Positional } from './command-spec.ts';
import { durationMs } from './duration.ts';
import { absolutePath, addresses, oneOf, optionalListenAddress, port, serverList } from './fields.ts';
import { defaultPorts } from './ports.ts';

/**
 * Flags that several commands take and must agree on. The settings file has most of them once, at the top. A command lists
 * them beside its own.
 */
export const apiVips = {
  value: '<addresses>',
  help: 'virtual IPs of the API: IPv4, IPv6 or both, separated by a comma',
  field: z._default(addresses, []),
  inFile: 'top',
  repeats: true,
} as const satisfies Flag;

export const ingressVips = {
  value: '<addresses>',
  help: 'virtual IPs of ingress, likewise',
  field: z._default(addresses, []),
  inFile: 'top',
} as const satisfies Flag;

export const apiPort = {
  value: '<port>',
  help: 'port of the API servers, and of the VIP',
  default: `${defaultPorts.api}`,
  field: port,
  inFile: 'top',
} as const satisfies Flag;

export const lbPort = {
  value: '<port>',
  help: 'port HAProxy serves clients on',
  default: `${defaultPorts.loadBalancer}`,
  field: port,
  inFile: 'top',
} as const satisfies Flag;

export const statPort = {
  value: '<port>',
  help: "HAProxy's statistics page, on loopback",
  default: `${defaultPorts.statistics}`,
  field: port,
} as const satisfies Flag;

export const healthPort = {
  value: '<port>',
  help: 'HAProxy answers /haproxy_ready and /haproxy_monitor there',
  default: `${defaultPorts.health}`,
  field: port,
  inFile: 'top',
} as const satisfies Flag;

/** Virtual router ids derive from it unless they are given. */
export const clusterName = {
  value: '<name>',
  help: "the virtual router ids are derived from it (default: from KUBECONFIG's server)",
  field: z.optional(
    z
      .string()
      .check(z.regex(/^[A-Za-z0-9][A-Za-z0-9.-]{0,252}$/, { error: 'expected a name of A-Z a-z 0-9 . -' })),
  ),
  inFile: 'top',
} as const satisfies Flag;

export const source = {
  value: '<source>',
  help: 'nodes, endpoints or static',
  default: 'nodes',
  field: oneOf(['nodes', 'endpoints', 'static']),
  inFile: 'top',
} as const satisfies Flag;

export const servers = {
  value: '<list>',
  help: 'HOST=IP[:PORT],… for --source static',
  field: z.optional(serverList),
  inFile: 'top',
} as const satisfies Flag;

export const lookupFlags = {
  checkInterval: {
    value: '<duration>',
    help: 'how often to list objects, in addition to watching',
    default: '6s',
    field: durationMs,
    inFile: 'top',
  },
  settle: {
    value: '<duration>',
    help: 'how long a change must be stable; one that goes on is taken after ten times as long',
    default: '500ms',
    field: durationMs,
    inFile: 'top',
  },
  source,
  servers,
} as const satisfies Readonly<Record<string, Flag>>;

/** Where the manifests have the journals. */
export const defaultJournalPath = '/var/log/hawser';

/** Of every daemon. */
export const daemonFlags = {
  journal: {
    value: '<dir>',
    help: `keep a journal of what happened there, such as ${defaultJournalPath}`,
    field: z.optional(absolutePath),
    inFile: 'never',
  },
  logLevel: {
    value: '<level>',
    help: 'debug, info, warn or error',
    default: 'info',
    field: oneOf(['debug', 'info', 'warn', 'error']),
    inFile: 'top',
  },
} as const satisfies Readonly<Record<string, Flag>>;

/** Where the keepalived monitor of this node is asked. */
export const keepalivedMonitor = {
  value: '<address:port>',
  help: 'address of the keepalived monitor\'s page, or "off" (settings: keepalived.listen)',
  default: `127.0.0.1:${defaultPorts.keepalivedMonitor}`,
  field: optionalListenAddress,
  keyInFile: ['keepalived', 'listen'],
} as const satisfies Flag;

export const kubeconfig = {
  help: 'credentials for the Kubernetes API',
  field: absolutePath,
  inFile: 'top',
} as const satisfies Positional;
