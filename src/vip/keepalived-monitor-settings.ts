import { hostname } from 'node:os';
import * as z from 'zod/mini';
import { commandSpec, type SettingsOf, toggle } from '../cli/command-spec.ts';
import { durationMs } from '../cli/duration.ts';
import {
  absolutePath,
  absolutePaths,
  address,
  addresses,
  listenAddress,
  nonEmpty,
  oneOf,
  socketPath,
} from '../cli/fields.ts';
import { peerFlags, peerProblems, peerSettings } from '../cli/peer-settings.ts';
import { defaultPorts } from '../cli/ports.ts';
import {
  apiPort,
  apiVips,
  clusterName,
  daemonFlags,
  healthPort,
  ingressVips,
  kubeconfig,
  lbPort,
  lookupFlags,
} from '../cli/shared-flags.ts';
import { ConfigError } from '../engine/system/errors.ts';
import type { KeepalivedSettings, TrackFiles } from './group/vrrp.ts';
import { healthUrl } from './health-url-field.ts';
import { virtualRouterIdPair } from './router-id-fields.ts';
import { vipFlagProblems } from './vip-flags.ts';

/** VRRP 3 counts hundredths of a second in 12 bits. */
const advertInterval = durationMs.check(
  z.refine((ms) => ms >= 10 && ms <= 40_950 && ms % 10 === 0, {
    error: 'expected 10ms to 40950ms in steps of 10ms',
  }),
);

export const keepalivedMonitorCommand = commandSpec({
  name: 'keepalived monitor',
  section: 'keepalived',
  summary:
    'Finds the nodes that share the VIPs, renders keepalived.conf, tracks health and asks for reloads.',
  positionals: {
    kubeconfig,
    template: { help: 'EJS template of keepalived.conf', field: absolutePath },
    config: { help: 'where keepalived.conf is written', field: absolutePath },
  },
  flags: {
    apiVips,
    ingressVips,
    ingressHealth: {
      value: '<url>',
      help: "this node's router, such as http://localhost:1936/healthz/ready (default: not looked at)",
      field: z.optional(healthUrl),
    },
    clusterName,
    interface: {
      value: '<name>',
      help: 'where the VIPs go (default: the one whose subnet holds them)',
      inFile: 'top',
      field: z.optional(
        z
          .string()
          .check(z.regex(/^[A-Za-z0-9._@:-]{1,15}$/, { error: 'expected the name of a network interface' })),
      ),
    },
    nodeIp: {
      value: '<address>',
      help: "this node's address in its Node object",
      inFile: 'top',
      field: z.optional(address),
    },
    nodeName: {
      value: '<name>',
      help: "this node's name in that list (default: the hostname)",
      inFile: 'top',
      field: z._default(nonEmpty, hostname),
    },
    mode: {
      value: '<mode>',
      help: 'unicast or multicast',
      default: 'unicast',
      field: oneOf(['unicast', 'multicast']),
    },
    virtualRouterIds: {
      value: '<ids>',
      help: 'API,INGRESS instead of the ids derived from the name, 1 to 255',
      field: z.optional(virtualRouterIdPair),
    },
    advertInterval: {
      value: '<duration>',
      help: 'of the fast profile; openshift has 1s',
      default: '100ms',
      field: advertInterval,
    },
    profile: {
      value: '<profile>',
      help: "fast, or openshift: the shell pods' dialect",
      default: 'fast',
      field: oneOf(['fast', 'openshift']),
    },
    monitorConf: {
      value: '<paths>',
      help: 'files that schedule a mode and profile for all nodes; the first that exists counts',
      default: '/etc/keepalived/monitor-user.conf,/etc/keepalived/monitor.conf',
      field: absolutePaths,
    },
    bootstrap: toggle('hold the API VIP until the local /readyz fails, then hand it over'),
    firstNode: toggle('hold the API VIP alone until a list of nodes is known: for the node of kubeadm init'),
    bootstrapIps: {
      value: '<addresses>',
      help: 'address of a bootstrap node, which is in no list, as a peer',
      field: z._default(addresses, []),
    },
    forceVirtualRouterId: toggle('join although another router uses the id on this segment'),
    resolveSplitBrain: toggle('leave if a higher-ranked node holds the same VIP (default: only report)'),
    ...lookupFlags,
    apiPort,
    lbPort,
    healthPort,
    lastKnown: {
      value: '<path>',
      help: 'list for a cold start (default: vrrp-nodes.json beside CONFIG)',
      field: z.optional(absolutePath),
    },
    steering: {
      value: '<path>',
      help: 'orders of hawser drain, move-vip and drill (default: vrrp-steering.json beside CONFIG)',
      field: z.optional(absolutePath),
    },
    socket: {
      value: '<path>',
      help: "the supervisor's control socket",
      default: '/var/run/keepalived/keepalived.sock',
      inFile: 'never',
      field: socketPath,
    },
    runDir: {
      value: '<path>',
      help: "track file, notify FIFO and state, the same as the supervisor's",
      default: '/var/run/keepalived',
      field: absolutePath,
    },
    keepalived: {
      value: '<path>',
      help: 'the program, to check what was rendered',
      default: '/usr/sbin/keepalived',
      field: absolutePath,
    },
    listen: {
      value: '<address>',
      help: '/healthz, /metrics and /status, on loopback',
      default: `127.0.0.1:${defaultPorts.keepalivedMonitor}`,
      field: listenAddress,
    },
    ...peerFlags,
    ...daemonFlags,
  },
  examples: [
    ['hawser keepalived monitor KUBECONFIG TEMPLATE CONFIG --api-vips 192.0.2.100'],
    [
      'hawser keepalived monitor KUBECONFIG TEMPLATE CONFIG --api-vips 192.0.2.100,2001:db8::100 --interface bond0',
    ],
  ],
  notes: [
    'A node that is not in its own list of nodes does not join: it would be a second holder.',
    'Without --ingress-health an ingress VIP stays where it is, whatever becomes of the router there. With it the peers are asked the same URL at their addresses, and where no router answers any more nothing moves.',
    'Exit codes: 0 asked to stop, 1 failure at run time, 2 usage or configuration.',
  ],
  derive: (settings) => {
    const { runDir, config, lastKnown, steering } = settings;
    const vips = [...settings.apiVips, ...settings.ingressVips];
    const problems = [...vipFlagProblems(settings), ...peerProblems(settings, vips)];
    if (problems.length > 0) throw new ConfigError(problems);
    const besideConfig = (file: string) => `${config.slice(0, config.lastIndexOf('/'))}/${file}`;
    /** One for each kind whose health is measured. */
    const trackFiles: TrackFiles & { readonly api: string } = {
      api: `${runDir}/lb.track`,
      ...(settings.ingressHealth && { ingress: `${runDir}/ingress.track` }),
    };
    return {
      ...settings,
      /** Of the API, canonical; then those of ingress. */
      vips,
      lastKnownPath: lastKnown ?? besideConfig('vrrp-nodes.json'),
      steeringPath: steering ?? besideConfig('vrrp-steering.json'),
      notifyFifo: `${runDir}/notify.fifo`,
      trackFiles,
      stateFile: `${runDir}/vrrp-state.json`,
      /** Undefined where the nodes show each other nothing. */
      peers: peerSettings(settings),
    };
  },
});

export type KeepalivedMonitorSettings = SettingsOf<typeof keepalivedMonitorCommand>;

/** The settings of the model. `clusterName` comes from the flag, else from the kubeconfig. */
export function keepalivedSettings(
  settings: KeepalivedMonitorSettings,
  clusterName: string,
): KeepalivedSettings {
  const { profile, mode, apiVips, ingressVips, nodeName, bootstrap, firstNode, bootstrapIps } = settings;
  const { notifyFifo, trackFiles, virtualRouterIds, nodeIp } = settings;
  return {
    clusterName,
    ...{ profile, mode, apiVips, ingressVips, nodeName, bootstrap, firstNode, bootstrapIps },
    ...{ notifyFifo, trackFiles },
    advertIntervalMs: settings.advertInterval,
    ...(virtualRouterIds && { virtualRouterIds }),
    ...(settings.interface !== undefined && { interface: settings.interface }),
    ...(nodeIp !== undefined && { nodeIp }),
  };
}
