import { existsSync } from 'node:fs';
import * as z from 'zod/mini';
import type { CommandSpec } from '../cli/command-line.ts';
import { durationMs } from '../cli/duration.ts';
import {
  absolutePath,
  addresses,
  clusterName,
  listenAddress,
  port,
  serverList,
  socketPath,
} from '../cli/fields.ts';
import { parseSettings } from '../cli/parse-settings.ts';
import { defaultPorts } from '../cli/ports.ts';
import {
  apiPortFlag,
  apiVipsFlag,
  clusterNameFlag,
  healthPortFlag,
  journalFlag,
  kubeconfigArgument,
  lbPortFlag,
  logLevelFlag,
  lookupFlags,
} from '../cli/shared-flags.ts';

export const haproxyMonitorCommand: CommandSpec = {
  name: 'haproxy monitor',
  section: 'haproxy',
  summary:
    'Discovers API servers, renders haproxy.cfg, asks for reloads and maintains the firewall redirect.',
  positionals: [
    kubeconfigArgument,
    { name: 'TEMPLATE', help: 'EJS template of haproxy.cfg' },
    { name: 'CONFIG', help: 'where haproxy.cfg is written' },
  ],
  flags: [
    apiVipsFlag,
    apiPortFlag,
    lbPortFlag,
    {
      flag: '--stat-port <port>',
      help: "HAProxy's statistics page, on loopback",
      default: `${defaultPorts.statistics}`,
    },
    healthPortFlag,
    clusterNameFlag,
    ...lookupFlags,
    {
      flag: '--socket <path>',
      help: "the supervisor's control socket",
      default: '/var/run/haproxy/haproxy-master.sock',
      inFile: 'never',
    },
    {
      flag: '--stats-socket <path>',
      help: "the same as the supervisor's",
      default: '/var/lib/haproxy/run/haproxy.sock',
    },
    {
      flag: '--state-file <path>',
      help: "the same as the supervisor's",
      default: '/var/lib/haproxy/run/server-state',
    },
    {
      flag: '--haproxy <path>',
      help: 'the program, to check what was rendered',
      default: '/usr/sbin/haproxy',
    },
    { flag: '--last-known <path>', help: 'list for a cold start (default: api-servers.json beside CONFIG)' },
    { flag: '--resolv-conf <path>', help: "the host's resolv.conf, copied to ours when it changes" },
    {
      flag: '--redirect-remove-after <duration>',
      help: 'remove the redirect after this time without a usable server',
      default: '6s',
    },
    {
      flag: '--listen <address>',
      help: '/healthz, /metrics and /status, on loopback',
      default: `127.0.0.1:${defaultPorts.haproxyMonitor}`,
    },
    journalFlag,
    logLevelFlag,
  ],
  examples: [
    ['hawser haproxy monitor /etc/hawser/kubeconfig /config/haproxy.cfg.ejs /etc/haproxy/haproxy.cfg'],
    [
      'hawser haproxy monitor KUBECONFIG TEMPLATE CONFIG --source static --servers cp-1=10.0.0.1,cp-2=10.0.0.2',
    ],
  ],
  notes: [
    'The redirect VIP:API_PORT -> LB_PORT is added after two good answers of /haproxy_monitor, 1 s apart.',
    'An empty list is never applied; one that loses more than half of the servers only after three equal polls and a failed /readyz probe of each lost one.',
    'Exit codes: 0 asked to stop, 1 failure at run time, 2 usage or configuration.',
  ],
};

export const renderCommand: CommandSpec = {
  ...haproxyMonitorCommand,
  name: 'render',
  summary: 'Writes haproxy.cfg once, from the same inputs as the monitor; for an init container.',
  examples: [
    [
      'hawser render /etc/hawser/kubeconfig haproxy.cfg.ejs /tmp/haproxy.cfg && haproxy -c -f /tmp/haproxy.cfg',
    ],
  ],
  notes: ['Exit codes: 0 CONFIG holds a configuration, 1 the template cannot be rendered, 2 usage.'],
};

export const showConfigCommand: CommandSpec = {
  ...haproxyMonitorCommand,
  name: 'show-config',
  summary: 'Prints the values that the template gets, and where each setting came from, as JSON.',
  examples: [
    ['hawser show-config /etc/hawser/kubeconfig haproxy.cfg.ejs /etc/haproxy/haproxy.cfg | jq .servers'],
    [
      "hawser show-config … | jq '.settings.apiPort'",
      'its value, and whether it came from flag, variable or file',
    ],
  ],
  notes: ['Exit codes: 0 with servers, 1 no API server answered and no list is known, 2 usage.'],
};

/** Also of the settings file's keys. */
export const haproxyMonitorFields = {
  settings: z.optional(absolutePath),
  kubeconfig: absolutePath,
  template: absolutePath,
  config: absolutePath,
  apiVips: z.optional(addresses),
  apiPort: port,
  lbPort: port,
  statPort: port,
  healthPort: port,
  clusterName: z.optional(clusterName),
  checkInterval: durationMs,
  settle: durationMs,
  source: z.enum(['nodes', 'endpoints', 'static'], { error: 'expected nodes, endpoints or static' }),
  servers: z.optional(serverList),
  socket: socketPath,
  statsSocket: socketPath,
  stateFile: absolutePath,
  haproxy: absolutePath,
  lastKnown: z.optional(absolutePath),
  resolvConf: z.optional(absolutePath),
  redirectRemoveAfter: durationMs,
  listen: listenAddress,
  journal: z.optional(absolutePath),
  logLevel: z.enum(['debug', 'info', 'warn', 'error'], { error: 'expected debug, info, warn or error' }),
};

const schema = z.object(haproxyMonitorFields);

export type HaproxyMonitorSettings = z.infer<typeof schema> & {
  /** Canonical and unique, in the order given; the first one's family leads. */
  readonly vips: readonly string[];
  readonly lastKnownPath: string;
  /** Of the kernel that this process runs on. */
  readonly hasIpv6: boolean;
};

/** Throws a ConfigError that lists every problem. Durations come out in milliseconds. */
export function haproxyMonitorSettings(values: Readonly<Record<string, unknown>>): HaproxyMonitorSettings {
  const settings = parseSettings(schema, values);
  const { apiVips = [], config, lastKnown } = settings;
  const vips = [...new Set(apiVips)];
  const hasIpv6 = existsSync('/proc/net/if_inet6');
  return { ...settings, hasIpv6, vips, lastKnownPath: lastKnown ?? `${dirnameOf(config)}/api-servers.json` };
}

function dirnameOf(path: string): string {
  return path.slice(0, path.lastIndexOf('/'));
}
