import { hostname } from 'node:os';
import * as z from 'zod/mini';
import { flag, type Positional } from './command-spec.ts';
import { durationMs } from './duration.ts';
import {
  absolutePath,
  addresses,
  listenAddress,
  nonEmpty,
  oneOf,
  optionalListenAddress,
  port,
  serverList,
} from './fields.ts';
import { defaultPorts } from './ports.ts';

/** Flags that several commands share. Most of them are at the top of the settings file. A command lists them with its own. */
export const apiVips = flag(
  '<addresses>',
  z._default(addresses, []),
  'virtual IPs of the API: IPv4, IPv6 or both, separated by a comma',
  { inFile: 'top', repeats: true },
);

export const ingressVips = flag(
  '<addresses>',
  z._default(addresses, []),
  'virtual IPs of ingress, likewise',
  { inFile: 'top' },
);

export const apiPort = flag('<port>', port, 'port of the API servers, and of the VIP', {
  default: `${defaultPorts.api}`,
  inFile: 'top',
});

export const lbPort = flag('<port>', port, 'port HAProxy serves clients on', {
  default: `${defaultPorts.loadBalancer}`,
  inFile: 'top',
});

export const statPort = flag('<port>', port, "HAProxy's statistics page, on loopback", {
  default: `${defaultPorts.statistics}`,
});

export const healthPort = flag('<port>', port, 'HAProxy answers /haproxy_ready and /haproxy_monitor there', {
  default: `${defaultPorts.health}`,
  inFile: 'top',
});

/** Virtual router ids derive from it unless they are set. */
export const clusterName = flag(
  '<name>',
  z.optional(
    z
      .string()
      .check(z.regex(/^[A-Za-z0-9][A-Za-z0-9.-]{0,252}$/, { error: 'expected a name of A-Z a-z 0-9 . -' })),
  ),
  "the virtual router ids are derived from it (default: from KUBECONFIG's server)",
  { inFile: 'top' },
);

export const vipInterface = flag(
  '<name>',
  z.optional(
    z
      .string()
      .check(z.regex(/^[A-Za-z0-9._@:-]{1,15}$/, { error: 'expected the name of a network interface' })),
  ),
  'where the VIPs go (default: the one whose subnet holds them)',
  { inFile: 'top' },
);

export const nodeName = flag(
  '<name>',
  z._default(nonEmpty, hostname),
  "this node's name in the list of nodes (default: the hostname)",
  { inFile: 'top' },
);

/** The node's root directory, for a command that runs in a container. */
export const root = flag('<path>', absolutePath, "where the node's files are, in a container", {
  default: '/',
  inFile: 'never',
});

/** The journal directory of the manifests. */
export const defaultJournalPath = '/var/log/hawser';

export const source = flag(
  '<source>',
  oneOf(['nodes', 'endpoints', 'static']),
  'nodes, endpoints or static',
  { default: 'nodes', inFile: 'top' },
);

export const servers = flag('<list>', z.optional(serverList), 'HOST=IP[:PORT],… for --source static', {
  inFile: 'top',
});

/** For every daemon. */
export const daemonFlags = {
  journal: flag(
    '<dir>',
    z.optional(absolutePath),
    `keep a journal of what happened there, such as ${defaultJournalPath}`,
    { inFile: 'never' },
  ),
  logLevel: flag('<level>', oneOf(['debug', 'info', 'warn', 'error']), 'debug, info, warn or error', {
    default: 'info',
    inFile: 'top',
  }),
};

/** For both monitors. */
export const monitorFlags = {
  apiVips,
  apiPort,
  lbPort,
  healthPort,
  clusterName,
  checkInterval: flag(
    '<duration>',
    durationMs,
    'pause between lists of all objects, in addition to watching; 10 ms for each object where that is longer',
    {
      default: '6s',
      inFile: 'top',
    },
  ),
  settle: flag(
    '<duration>',
    durationMs,
    'how long a change must be stable; a list that keeps changing is applied after ten times this',
    {
      default: '500ms',
      inFile: 'top',
    },
  ),
  source,
  servers,
  ...daemonFlags,
};

/** A monitor's credentials, its template, and the file that it writes. */
export function monitorFiles(file: string) {
  return {
    kubeconfig: { help: 'credentials for the Kubernetes API', field: absolutePath, inFile: 'top' },
    template: { help: `EJS template of ${file}`, field: absolutePath },
    config: { help: `where ${file} is written`, field: absolutePath },
  } as const satisfies Readonly<Record<string, Positional>>;
}

/** A monitor's list of servers or nodes, for a start without the API. */
export function lastKnown(file: string) {
  return flag('<path>', z.optional(absolutePath), `list for a cold start (default: ${file} next to CONFIG)`);
}

export function besideConfig({ config }: { readonly config: string }, file: string): string {
  return `${config.slice(0, config.lastIndexOf('/'))}/${file}`;
}

/** Address of a monitor's page. */
export function monitorListen(port: number) {
  const help = '/healthz, /metrics and /status, on loopback';
  return flag('<address>', listenAddress, help, { default: `127.0.0.1:${port}` });
}

/** Address of a supervisor's page. The file's `listen` is the monitor's. */
export function supervisorListen(port: number) {
  const help = 'where /healthz, /metrics and /status are, or "off"; an address in use is retried';
  return flag('<address:port>', optionalListenAddress, help, {
    default: `127.0.0.1:${port}`,
    inFile: 'never',
  });
}

/** Address of this node's keepalived monitor. */
export const keepalivedMonitor = flag(
  '<address:port>',
  optionalListenAddress,
  'address of the keepalived monitor\'s page, or "off" (settings: keepalived.listen)',
  { default: `127.0.0.1:${defaultPorts.keepalivedMonitor}`, keyInFile: ['keepalived', 'listen'] },
);
