import { existsSync } from 'node:fs';
import { commandSpec, flag, type SettingsOf, toggle } from '../cli/command-spec.ts';
import { durationMs } from '../cli/fields.ts';
import {
  besideConfig,
  defaultPorts,
  haproxySupervisor,
  lastKnown,
  metricsListenFlags,
  monitorFiles,
  monitorFlags,
  monitorListen,
  statPort,
  worker,
} from '../cli/shared-flags.ts';
import { metricsListenProblems } from '../engine/observe/metrics-listener.ts';
import { ConfigError } from '../engine/system/errors.ts';
import { haproxyMonitorFlags } from '../haproxy/supervise/haproxy-flags.ts';
import { type ExtraPort, extraPortProblems, extraPorts, type UsedPort } from './extra-ports/extra-ports.ts';

export const haproxyMonitorCommand = commandSpec({
  name: 'haproxy monitor',
  section: 'haproxy',
  summary:
    'Discovers API servers, renders haproxy.cfg, requests reloads and maintains the firewall redirect.',
  positionals: monitorFiles('haproxy.cfg'),
  flags: {
    ...monitorFlags,
    statPort,
    worker,
    ...haproxyMonitorFlags,
    lastKnown: lastKnown('api-servers.json'),
    redirectRemoveAfter: flag(
      '<duration>',
      durationMs,
      'remove the redirect after this time without a usable server',
      { default: '6s' },
    ),
    extraPorts,
    logConnections: toggle('HAProxy logs each connection to the API: client, source port, API server'),
    listen: monitorListen(defaultPorts.haproxyMonitor),
    ...metricsListenFlags(defaultPorts.haproxyMetrics),
    haproxySupervisor,
  },
  examples: [
    ['hawser haproxy monitor /etc/hawser/kubeconfig /config/haproxy.cfg.ejs /etc/haproxy/haproxy.cfg'],
    [
      'hawser haproxy monitor KUBECONFIG TEMPLATE CONFIG --source static --servers cp-1=10.0.0.1,cp-2=10.0.0.2',
    ],
  ],
  notes: [
    'The redirect VIP:API_PORT -> LB_PORT is added after two successful polls of /haproxy_monitor, 1 s apart.',
    'An empty list is never applied. A list that lacks more than half of the servers is applied after three equal polls, if /readyz of each missing server fails.',
    'Exit codes: 0 stopped on request, 1 runtime failure, 2 invalid usage or configuration.',
  ],
  derive: (settings) => {
    const problems = [
      ...metricsListenProblems(settings),
      ...extraPortProblems(settings.extraPorts, usedPorts(settings), settings.worker),
    ];
    if (settings.worker && settings.apiVips.length > 0)
      problems.push(
        'Cannot use worker with apiVips: a worker holds no VIP, expected one of the two; run hawser uninstall before giving this node a VIP',
      );
    if (problems.length > 0) throw new ConfigError(problems);
    return {
      ...settings,
      /** Canonical and unique, in the given order. */
      vips: [...new Set(settings.apiVips)],
      lastKnownPath: settings.lastKnown ?? besideConfig(settings, 'api-servers.json'),
      /** Whether this node's kernel supports IPv6. */
      hasIpv6: existsSync('/proc/net/if_inet6'),
    };
  },
});

interface Ports {
  readonly lbPort: number;
  readonly healthPort: number;
  readonly statPort: number;
  readonly extraPorts: readonly ExtraPort[];
  readonly listen: { readonly port: number };
  readonly metricsListen?: { readonly port: number } | undefined;
}

/** The ports on which HAProxy and its monitor listen, with the settings that set them. */
export function ownPorts(settings: Ports): readonly UsedPort[] {
  const { lbPort, healthPort, statPort, extraPorts, listen, metricsListen } = settings;
  return [
    { key: 'lbPort', port: lbPort },
    { key: 'healthPort', port: healthPort },
    { key: 'haproxy.statPort', port: statPort },
    ...extraPorts.map(({ name, listenPort }) => ({
      key: `haproxy.extraPorts (listenPort of ${name})`,
      port: listenPort,
    })),
    { key: 'haproxy.listen', port: listen.port },
    ...(metricsListen === undefined ? [] : [{ key: 'haproxy.metricsListen', port: metricsListen.port }]),
  ];
}

/** The ports that an extra port must not use. */
function usedPorts(settings: Ports & { readonly apiPort: number }): readonly UsedPort[] {
  return [
    { key: 'apiPort', port: settings.apiPort },
    ...ownPorts({ ...settings, extraPorts: [] }),
    { key: "the page of HAProxy's supervisor", port: defaultPorts.haproxySupervisor },
    { key: "the page of keepalived's supervisor", port: defaultPorts.keepalivedSupervisor },
    { key: 'keepalived.listen', port: defaultPorts.keepalivedMonitor },
    { key: 'keepalived.metricsListen', port: defaultPorts.keepalivedMetrics },
  ];
}

export type HaproxyMonitorSettings = SettingsOf<typeof haproxyMonitorCommand>;

export const showConfigCommand: typeof haproxyMonitorCommand = {
  ...haproxyMonitorCommand,
  name: 'show-config',
  summary: "Prints the template's values, and the origin of each setting, as JSON.",
  examples: [
    ['hawser show-config /etc/hawser/kubeconfig haproxy.cfg.ejs /etc/haproxy/haproxy.cfg | jq .servers'],
    [
      "hawser show-config … | jq '.settings.apiPort'",
      'the value, and whether it came from a flag, an environment variable or the file',
    ],
  ],
  notes: ['Exit codes: 0 with servers, 1 no API server answered and no list is stored, 2 usage.'],
};
