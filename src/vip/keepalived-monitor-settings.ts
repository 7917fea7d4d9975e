import { hostname } from 'node:os';
import * as z from 'zod/mini';
import type { CommandSpec } from '../cli/command-line.ts';
import { durationMs } from '../cli/duration.ts';
import {
  absolutePath,
  absolutePaths,
  address,
  addresses,
  clusterName,
  listenAddress,
  port,
  serverList,
  socketPath,
} from '../cli/fields.ts';
import { parseSettings } from '../cli/parse-settings.ts';
import { type PeerSettings, peerFields, peerProblems, peerSettings } from '../cli/peer-settings.ts';
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
  peerFlags,
} from '../cli/shared-flags.ts';
import { ConfigError } from '../engine/system/errors.ts';
import type { KeepalivedSettings, TrackFiles } from './group/vrrp.ts';
import { healthUrl } from './health-url-field.ts';
import { virtualRouterIdPair } from './router-id-fields.ts';
import { vipFlagProblems } from './vip-flags.ts';

export const keepalivedMonitorCommand: CommandSpec = {
  name: 'keepalived monitor',
  section: 'keepalived',
  summary:
    'Finds the nodes that share the VIPs, renders keepalived.conf, tracks health and asks for reloads.',
  positionals: [
    kubeconfigArgument,
    { name: 'TEMPLATE', help: 'EJS template of keepalived.conf' },
    { name: 'CONFIG', help: 'where keepalived.conf is written' },
  ],
  flags: [
    apiVipsFlag,
    { flag: '--ingress-vips <addresses>', help: 'virtual IPs of ingress, likewise', inFile: 'top' },
    {
      flag: '--ingress-health <url>',
      help: "this node's router, such as http://localhost:1936/healthz/ready (default: not looked at)",
    },
    clusterNameFlag,
    {
      flag: '--interface <name>',
      help: 'where the VIPs go (default: the one whose subnet holds them)',
      inFile: 'top',
    },
    { flag: '--node-ip <address>', help: "this node's address in its Node object", inFile: 'top' },
    {
      flag: '--node-name <name>',
      help: "this node's name in that list (default: the hostname)",
      inFile: 'top',
    },
    {
      flag: '--mode <mode>',
      help: 'unicast or multicast',
      choices: ['unicast', 'multicast'],
      default: 'unicast',
    },
    {
      flag: '--virtual-router-ids <ids>',
      help: 'API,INGRESS instead of the ids derived from the name, 1 to 255',
    },
    { flag: '--advert-interval <duration>', help: 'of the fast profile; openshift has 1s', default: '100ms' },
    {
      flag: '--profile <profile>',
      help: "fast, or openshift: the shell pods' dialect",
      choices: ['fast', 'openshift'],
      default: 'fast',
    },
    {
      flag: '--monitor-conf <paths>',
      help: 'files that schedule a mode and profile for all nodes; the first that exists counts',
      default: '/etc/keepalived/monitor-user.conf,/etc/keepalived/monitor.conf',
    },
    { flag: '--bootstrap', help: 'hold the API VIP until the local /readyz fails, then hand it over' },
    {
      flag: '--first-node',
      help: 'hold the API VIP alone until a list of nodes is known: for the node of kubeadm init',
    },
    {
      flag: '--bootstrap-ips <addresses>',
      help: 'address of a bootstrap node, which is in no list, as a peer',
    },
    { flag: '--force-virtual-router-id', help: 'join although another router uses the id on this segment' },
    {
      flag: '--resolve-split-brain',
      help: 'leave if a higher-ranked node holds the same VIP (default: only report)',
    },
    ...lookupFlags,
    apiPortFlag,
    lbPortFlag,
    healthPortFlag,
    { flag: '--last-known <path>', help: 'list for a cold start (default: vrrp-nodes.json beside CONFIG)' },
    {
      flag: '--steering <path>',
      help: 'orders of hawser drain, move-vip and drill (default: vrrp-steering.json beside CONFIG)',
    },
    {
      flag: '--socket <path>',
      help: "the supervisor's control socket",
      default: '/var/run/keepalived/keepalived.sock',
      inFile: 'never',
    },
    {
      flag: '--run-dir <path>',
      help: "track file, notify FIFO and state, the same as the supervisor's",
      default: '/var/run/keepalived',
    },
    {
      flag: '--keepalived <path>',
      help: 'the program, to check what was rendered',
      default: '/usr/sbin/keepalived',
    },
    {
      flag: '--listen <address>',
      help: '/healthz, /metrics and /status, on loopback',
      default: `127.0.0.1:${defaultPorts.keepalivedMonitor}`,
    },
    ...peerFlags,
    journalFlag,
    logLevelFlag,
  ],
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
};

/** VRRP 3 counts hundredths of a second in 12 bits. */
const advertInterval = durationMs.check(
  z.refine((ms) => ms >= 10 && ms <= 40_950 && ms % 10 === 0, {
    error: 'expected 10ms to 40950ms in steps of 10ms',
  }),
);

/** Also of the settings file's keys. */
export const keepalivedMonitorFields = {
  settings: z.optional(absolutePath),
  kubeconfig: absolutePath,
  template: absolutePath,
  config: absolutePath,
  apiVips: z._default(addresses, []),
  ingressVips: z._default(addresses, []),
  ingressHealth: z.optional(healthUrl),
  clusterName: z.optional(clusterName),
  interface: z.optional(
    z
      .string()
      .check(z.regex(/^[A-Za-z0-9._@:-]{1,15}$/, { error: 'expected the name of a network interface' })),
  ),
  nodeIp: z.optional(address),
  nodeName: z._default(z.string().check(z.minLength(1)), hostname),
  mode: z.enum(['unicast', 'multicast'], { error: 'expected unicast or multicast' }),
  virtualRouterIds: z.optional(virtualRouterIdPair),
  advertInterval,
  profile: z.enum(['fast', 'openshift'], { error: 'expected fast or openshift' }),
  monitorConf: absolutePaths,
  bootstrap: z._default(z.boolean(), false),
  firstNode: z._default(z.boolean(), false),
  bootstrapIps: z._default(addresses, []),
  forceVirtualRouterId: z._default(z.boolean(), false),
  resolveSplitBrain: z._default(z.boolean(), false),
  source: z.enum(['nodes', 'endpoints', 'static'], { error: 'expected nodes, endpoints or static' }),
  servers: z.optional(serverList),
  apiPort: port,
  lbPort: port,
  healthPort: port,
  checkInterval: durationMs,
  settle: durationMs,
  lastKnown: z.optional(absolutePath),
  steering: z.optional(absolutePath),
  socket: socketPath,
  runDir: absolutePath,
  keepalived: absolutePath,
  listen: listenAddress,
  ...peerFields,
  journal: z.optional(absolutePath),
  logLevel: z.enum(['debug', 'info', 'warn', 'error'], { error: 'expected debug, info, warn or error' }),
};

const schema = z.object(keepalivedMonitorFields);

export type KeepalivedMonitorSettings = z.infer<typeof schema> & {
  /** Of the API, canonical; then those of ingress. */
  readonly vips: readonly string[];
  readonly lastKnownPath: string;
  readonly steeringPath: string;
  readonly notifyFifo: string;
  /** One for each kind whose health is measured. */
  readonly trackFiles: TrackFiles & { readonly api: string };
  readonly stateFile: string;
  /** Undefined where the nodes show each other nothing. */
  readonly peers: PeerSettings | undefined;
};

/** Throws a ConfigError that lists every problem. Durations come out in milliseconds. */
export function keepalivedMonitorSettings(
  values: Readonly<Record<string, unknown>>,
): KeepalivedMonitorSettings {
  const settings = parseSettings(schema, values);
  const { apiVips, ingressVips, ingressHealth, runDir, config, lastKnown, steering } = settings;
  const besideConfig = (file: string) => `${config.slice(0, config.lastIndexOf('/'))}/${file}`;
  const vips = [...apiVips, ...ingressVips];
  const problems = [...vipFlagProblems(settings), ...peerProblems(settings, vips)];
  if (problems.length > 0) throw new ConfigError(problems);
  return {
    ...settings,
    vips,
    lastKnownPath: lastKnown ?? besideConfig('vrrp-nodes.json'),
    steeringPath: steering ?? besideConfig('vrrp-steering.json'),
    notifyFifo: `${runDir}/notify.fifo`,
    trackFiles: {
      api: `${runDir}/lb.track`,
      ...(ingressHealth && { ingress: `${runDir}/ingress.track` }),
    },
    stateFile: `${runDir}/vrrp-state.json`,
    peers: peerSettings(settings),
  };
}

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
