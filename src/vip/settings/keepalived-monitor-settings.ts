import * as z from 'zod/mini';
import { commandSpec, flag, type SettingsOf, toggle } from '../../cli/command-spec.ts';
import { absolutePath, address } from '../../cli/fields.ts';
import {
  besideConfig,
  defaultPorts,
  ingressVips,
  keepalivedSupervisor,
  lastKnown,
  metricsListenFlags,
  monitorFiles,
  monitorFlags,
  monitorListen,
  nodeName,
  vipInterface,
} from '../../cli/shared-flags.ts';
import { metricsListenProblems } from '../../engine/observe/metrics-listener.ts';
import { ConfigError } from '../../engine/system/errors.ts';
import { keepalivedMonitorFlags } from '../../keepalived/supervise/keepalived-supervise-settings.ts';
import type { TrackFiles } from '../group/vrrp.ts';
import { healthUrl, vipFlagProblems, virtualRouterIdPair } from './vip-flags.ts';

export const keepalivedMonitorCommand = commandSpec({
  name: 'keepalived monitor',
  section: 'keepalived',
  summary:
    'Finds the nodes that share the VIPs, renders keepalived.conf, tracks health and asks for reloads.',
  positionals: monitorFiles('keepalived.conf'),
  flags: {
    ...monitorFlags,
    ingressVips,
    ingressHealth: flag(
      '<url>',
      z.optional(healthUrl),
      "health URL of this node's router, such as http://localhost:1936/healthz/ready (default: not checked)",
    ),
    interface: vipInterface,
    nodeIp: flag('<address>', z.optional(address), "this node's address in its Node object", {
      inFile: 'top',
    }),
    nodeName,
    virtualRouterIds: flag(
      '<ids>',
      z.optional(virtualRouterIdPair),
      'API,INGRESS instead of the ids derived from the name, 1 to 255',
    ),
    firstNode: toggle('hold the API VIP before any Node is registered (first control-plane node)'),
    forceVirtualRouterId: toggle('join even if another router on this segment uses the id'),
    lastKnown: lastKnown('vrrp-nodes.json'),
    steering: flag(
      '<path>',
      z.optional(absolutePath),
      'file with the orders of hawser drain and move-vip (default: vrrp-steering.json next to CONFIG)',
    ),
    ...keepalivedMonitorFlags,
    listen: monitorListen(defaultPorts.keepalivedMonitor),
    ...metricsListenFlags(defaultPorts.keepalivedMetrics),
    keepalivedSupervisor,
  },
  examples: [
    ['hawser keepalived monitor KUBECONFIG TEMPLATE CONFIG --api-vips 192.0.2.100'],
    [
      'hawser keepalived monitor KUBECONFIG TEMPLATE CONFIG --api-vips 192.0.2.100,2001:db8::100 --interface bond0',
    ],
  ],
  notes: [
    'A node that is missing from the node list never becomes master.',
    'Without --ingress-health an ingress VIP stays where it is, whatever happens to the router there. With it the peers are asked the same URL at their addresses, and where no router answers any more nothing moves.',
    'Exit codes: 0 asked to stop, 1 failure at run time, 2 usage or configuration.',
  ],
  derive: (settings) => {
    const { runDir, steering } = settings;
    const vips = [...settings.apiVips, ...settings.ingressVips];
    const problems = [...vipFlagProblems(settings), ...metricsListenProblems(settings)];
    if (problems.length > 0) throw new ConfigError(problems);
    const trackFiles: TrackFiles = { api: `${runDir}/lb.track`, ingress: `${runDir}/ingress.track` };
    return {
      ...settings,
      /** Of the API, canonical; then those of ingress. */
      vips,
      lastKnownPath: settings.lastKnown ?? besideConfig(settings, 'vrrp-nodes.json'),
      steeringPath: steering ?? besideConfig(settings, 'vrrp-steering.json'),
      notifyFifo: `${runDir}/notify.fifo`,
      trackFiles,
      stateFile: `${runDir}/vrrp-state.json`,
    };
  },
});

export type KeepalivedMonitorSettings = SettingsOf<typeof keepalivedMonitorCommand>;

export const showKeepalivedConfigCommand: typeof keepalivedMonitorCommand = {
  ...keepalivedMonitorCommand,
  name: 'show-config keepalived',
  summary:
    'Prints the values that the keepalived.conf template would get now, and where each setting came from, as JSON.',
  examples: [
    ['hawser show-config keepalived | jq .instances', 'ids, priorities and peers of each VIP on this node'],
    [
      "hawser show-config keepalived | jq '.settings.interface'",
      'its value, and whether it came from flag, variable or file',
    ],
  ],
  notes: [
    'KUBECONFIG, TEMPLATE and CONFIG may come from the settings file. The API is asked for the nodes as the monitor asks it.',
    'Exit codes: 0 printed, 1 this node would not join now: only the settings, and the reason on stderr, 2 usage.',
  ],
};
