import { hostname } from 'node:os';
import * as z from 'zod/mini';
import { flag, type Positional, toggle } from './command-spec.ts';
import {
  absolutePath,
  addresses,
  durationMs,
  listenAddress,
  nonEmpty,
  oneOf,
  optionalListenAddress,
  port,
  serverList,
} from './fields.ts';

/** Default ports; a test compares docs/install.md with this table. */
export const defaultPorts = {
  /** Port of the API servers and of the VIP. */
  api: 6443,
  /** HAProxy's port for clients. The VIP's port is redirected to it. */
  loadBalancer: 9445,
  /** Port of HAProxy's /haproxy_ready and /haproxy_monitor, the same as in OpenShift. */
  health: 9444,
  /** HAProxy's statistics, on loopback. */
  statistics: 29_445,
  /** The pages of the four programs, on loopback. */
  haproxyMonitor: 29_446,
  keepalivedMonitor: 29_447,
  keepalivedSupervisor: 29_448,
  haproxySupervisor: 29_449,
  /** Metrics for other machines, not open by default. */
  haproxyMetrics: 29_450,
  keepalivedMetrics: 29_451,
  /** The page of the pod proxy, in its pod's own network. */
  podProxy: 29_452,
  /** The router's page, on all addresses, as in openshift-router. */
  router: 1_936,
} as const;

/** The page on the health port that reports whether HAProxy itself works. */
export const READY_PATH = '/haproxy_ready';

/** Flags shared by several commands. Most of them are at the top of the settings file. Each command lists the ones it uses. */
export const apiVips = flag(
  '<addresses>',
  z._default(addresses, []),
  'virtual IPs of the API: IPv4, IPv6 or both, separated by a comma',
  { inFile: 'top', repeats: true },
);

export const ingressVips = flag(
  '<addresses>',
  z._default(addresses, []),
  'virtual IPs of ingress, in the form of --api-vips',
  { inFile: 'top' },
);

export const apiPort = flag('<port>', port, 'port of the API servers, and of the VIP', {
  default: `${defaultPorts.api}`,
  inFile: 'top',
});

export const lbPort = flag('<port>', port, 'port on which HAProxy serves clients', {
  default: `${defaultPorts.loadBalancer}`,
  inFile: 'top',
});

export const statPort = flag('<port>', port, "HAProxy's statistics page, on loopback", {
  default: `${defaultPorts.statistics}`,
});

export const healthPort = flag(
  '<port>',
  port,
  'port on which HAProxy answers /haproxy_ready and /haproxy_monitor',
  {
    default: `${defaultPorts.health}`,
    inFile: 'top',
  },
);

/** Set only by `hawser install --worker`, which installs other pods. */
export const worker = toggle(
  'this node is a worker: HAProxy serves only local clients, on 127.0.0.1, and there is no VIP',
  { inFile: 'top' },
);

/** HAProxy's address on a worker. */
export const WORKER_ADDRESS = '127.0.0.1';

/** Virtual router ids are derived from the name unless they are set. */
export const clusterName = flag(
  '<name>',
  z.optional(
    z
      .string()
      .check(z.regex(/^[A-Za-z0-9][A-Za-z0-9.-]{0,252}$/, { error: 'expected a name of A-Z a-z 0-9 . -' })),
  ),
  "name from which the virtual router ids are derived (default: from KUBECONFIG's server)",
  { inFile: 'top' },
);

export const vipInterface = flag(
  '<name>',
  z.optional(
    z
      .string()
      .check(z.regex(/^[A-Za-z0-9._@:-]{1,15}$/, { error: 'expected the name of a network interface' })),
  ),
  'interface for the VIPs (default: the one whose subnet contains them)',
  { inFile: 'top' },
);

export const nodeName = flag(
  '<name>',
  z._default(nonEmpty, hostname),
  "this node's name in the list of nodes (default: the hostname)",
  { inFile: 'top' },
);

/** The node's root directory, for a command that runs in a container. */
export const root = flag('<path>', absolutePath, "the node's root directory, in a container", {
  default: '/',
  inFile: 'never',
});

export const defaultJournalPath = '/var/log/hawser';

export const source = flag(
  '<source>',
  oneOf(['nodes', 'endpoints', 'static']),
  'source of the list of servers: nodes, endpoints or static',
  { default: 'nodes', inFile: 'top' },
);

export const servers = flag('<list>', z.optional(serverList), 'HOST=IP[:PORT],… for --source static', {
  inFile: 'top',
});

export const daemonFlags = {
  journal: flag('<dir>', z.optional(absolutePath), `directory for a journal, such as ${defaultJournalPath}`, {
    inFile: 'never',
  }),
  logLevel: flag(
    '<level>',
    oneOf(['debug', 'info', 'warn', 'error']),
    'log level: debug, info, warn or error',
    {
      default: 'info',
      inFile: 'top',
    },
  ),
};

export const monitorFlags = {
  apiVips,
  apiPort,
  lbPort,
  healthPort,
  clusterName,
  checkInterval: flag(
    '<duration>',
    durationMs,
    'pause between full lists, in addition to watching; at least 10 ms per object',
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

/** A monitor's list of servers or nodes for a start without the API. */
export function lastKnown(file: string) {
  return flag(
    '<path>',
    z.optional(absolutePath),
    `saved list for a cold start (default: ${file} next to CONFIG)`,
  );
}

export function besideConfig({ config }: { readonly config: string }, file: string): string {
  return `${config.slice(0, config.lastIndexOf('/'))}/${file}`;
}

export function monitorListen(port: number) {
  const help = '/healthz, /metrics and /status, on loopback';
  return flag('<address>', listenAddress, help, { default: `127.0.0.1:${port}` });
}

/** Metrics of a static pod for other machines. */
export function metricsListenFlags(port: number) {
  return {
    metricsListen: flag(
      '<address:port>',
      z.optional(listenAddress),
      `address of the pod's metrics for other machines, with a token or over TLS, such as 0.0.0.0:${port} (default: only on loopback)`,
    ),
    metricsTokenFile: flag('<path>', z.optional(absolutePath), 'file with the token for --metrics-listen'),
    metricsTlsCertFile: flag(
      '<path>',
      z.optional(absolutePath),
      'certificate for --metrics-listen, which enables TLS',
    ),
    metricsTlsKeyFile: flag('<path>', z.optional(absolutePath), 'its private key'),
  };
}

/** For each command that requests this page. */
function supervisorPage(whose: string, port: number) {
  return flag('<address:port>', optionalListenAddress, `page of ${whose}, or "off": its --listen`, {
    default: `127.0.0.1:${port}`,
    inFile: 'never',
  });
}

export const haproxySupervisor = supervisorPage("HAProxy's supervisor", defaultPorts.haproxySupervisor);
export const keepalivedSupervisor = supervisorPage(
  "keepalived's supervisor",
  defaultPorts.keepalivedSupervisor,
);

/** Address of a supervisor's page. The key `listen` of the file is the monitor's. */
export function supervisorListen(port: number) {
  const help = 'address of /healthz, /metrics and /status, or "off"; an address in use is retried';
  return flag('<address:port>', optionalListenAddress, help, {
    default: `127.0.0.1:${port}`,
    inFile: 'never',
  });
}

export const keepalivedMonitor = flag(
  '<address:port>',
  optionalListenAddress,
  'address of the keepalived monitor\'s page, or "off" (settings: keepalived.listen)',
  { default: `127.0.0.1:${defaultPorts.keepalivedMonitor}`, keyInFile: ['keepalived', 'listen'] },
);

/**
 * For commands of a program that may run several times on a node (docs/internals/decisions/0072). The name is part of file names, an nftables table's
 * name and socket paths, whose length the kernel limits.
 */
export const instance = flag(
  '<name>',
  z.optional(
    z.string().check(
      z.regex(/^[a-z](?:[a-z0-9-]{0,18}[a-z0-9])?$/, {
        error:
          'expected a letter, then letters, digits and hyphens (a-z 0-9 -), no hyphen at the end, at most 20 in all',
      }),
    ),
  ),
  'name of another instance on this node: its default paths contain -NAME, and it reads a settings file only with --settings',
  { inFile: 'never' },
);

/** Adds the instance to the folder, because a pod mounts the whole folder: `/etc/haproxy/haproxy.cfg` becomes `/etc/haproxy-b/haproxy.cfg`. */
export function instancePath(path: string, name: string): string {
  return path.replace(/^\/(?:etc|var\/run|var\/lib)\/[^/]+/, (folder) => `${folder}-${name}`);
}
