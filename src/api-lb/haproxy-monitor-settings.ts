import { existsSync } from 'node:fs';
import * as z from 'zod/mini';
import { commandSpec, type SettingsOf } from '../cli/command-spec.ts';
import { durationMs } from '../cli/duration.ts';
import { absolutePath, listenAddress, socketPath } from '../cli/fields.ts';
import { defaultPorts } from '../cli/ports.ts';
import {
  apiPort,
  apiVips,
  clusterName,
  daemonFlags,
  healthPort,
  kubeconfig,
  lbPort,
  lookupFlags,
  statPort,
} from '../cli/shared-flags.ts';

export const haproxyMonitorCommand = commandSpec({
  name: 'haproxy monitor',
  section: 'haproxy',
  summary:
    'Discovers API servers, renders haproxy.cfg, asks for reloads and maintains the firewall redirect.',
  positionals: {
    kubeconfig,
    template: { help: 'EJS template of haproxy.cfg', field: absolutePath },
    config: { help: 'where haproxy.cfg is written', field: absolutePath },
  },
  flags: {
    apiVips,
    apiPort,
    lbPort,
    statPort,
    healthPort,
    clusterName,
    ...lookupFlags,
    socket: {
      value: '<path>',
      help: "the supervisor's control socket",
      default: '/var/run/haproxy/haproxy-master.sock',
      inFile: 'never',
      field: socketPath,
    },
    statsSocket: {
      value: '<path>',
      help: "the same as the supervisor's",
      default: '/var/lib/haproxy/run/haproxy.sock',
      field: socketPath,
    },
    stateFile: {
      value: '<path>',
      help: "the same as the supervisor's",
      default: '/var/lib/haproxy/run/server-state',
      field: absolutePath,
    },
    haproxy: {
      value: '<path>',
      help: 'the program, to check what was rendered',
      default: '/usr/sbin/haproxy',
      field: absolutePath,
    },
    lastKnown: {
      value: '<path>',
      help: 'list for a cold start (default: api-servers.json beside CONFIG)',
      field: z.optional(absolutePath),
    },
    resolvConf: {
      value: '<path>',
      help: "the host's resolv.conf, copied to ours when it changes",
      field: z.optional(absolutePath),
    },
    redirectRemoveAfter: {
      value: '<duration>',
      help: 'remove the redirect after this time without a usable server',
      default: '6s',
      field: durationMs,
    },
    listen: {
      value: '<address>',
      help: '/healthz, /metrics and /status, on loopback',
      default: `127.0.0.1:${defaultPorts.haproxyMonitor}`,
      field: listenAddress,
    },
    ...daemonFlags,
  },
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
  derive: (settings) => ({
    ...settings,
    /** Canonical and unique, in the order given; the first one's family leads. */
    vips: [...new Set(settings.apiVips)],
    lastKnownPath: settings.lastKnown ?? `${dirnameOf(settings.config)}/api-servers.json`,
    /** Of the kernel that this process runs on. */
    hasIpv6: existsSync('/proc/net/if_inet6'),
  }),
});

export type HaproxyMonitorSettings = SettingsOf<typeof haproxyMonitorCommand>;

export const renderCommand: typeof haproxyMonitorCommand = {
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

export const showConfigCommand: typeof haproxyMonitorCommand = {
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

function dirnameOf(path: string): string {
  return path.slice(0, path.lastIndexOf('/'));
}
