import * as z from 'zod/mini';
import { commandSpec, flag, type SettingsOf, toggle } from '../../cli/command-spec.ts';
import { absolutePath, address, fileForms, parsedBy } from '../../cli/fields.ts';
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
import { hostOf } from '../../engine/system/network/address-text.ts';
import type { HealthUrl } from '../../engine/system/network/ask-health.ts';
import { parseAddress } from '../../engine/system/network/node-address.ts';
import { keepalivedMonitorFlags } from '../../keepalived/supervise/keepalived-supervise-settings.ts';
import { virtualRouterIdProblem } from '../group/virtual-router-id.ts';
import type { TrackFiles, VirtualRouterIds } from '../group/vrrp.ts';

/**
 * Parses `http://localhost:1936/healthz/ready`. Other host names are refused, because the result would depend on DNS. `localhost` is
 * 127.0.0.1, so that no resolver is needed.
 */
const healthUrl = parsedBy(
  parseHealthUrl,
  'expected http(s)://ADDRESS[:PORT]/PATH with an address of this node, or localhost',
);

function parseHealthUrl(text: string): HealthUrl | undefined {
  const url = URL.parse(text);
  if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:')) return undefined;
  if (url.username !== '' || url.password !== '' || url.hash !== '') return undefined;
  const secure = url.protocol === 'https:';
  const named = url.hostname === 'localhost' ? '127.0.0.1' : hostOf(url);
  const host = parseAddress(named)?.text;
  if (host === undefined) return undefined;
  const port = url.port === '' ? (secure ? 443 : 80) : Number(url.port);
  return { secure, host, port, path: `${url.pathname}${url.search}` };
}

/** `API,INGRESS`: two different virtual router ids. */
export const virtualRouterIdPair = z.pipe(
  z.string().check(z.regex(/^\d{1,3},\d{1,3}$/, { error: 'expected API,INGRESS such as 77,78' })),
  z.transform((text, context): VirtualRouterIds => {
    const [api = 0, ingress = 0] = text.split(',').map(Number);
    const problem = virtualRouterIdProblem({ api, ingress });
    if (problem === undefined) return { api, ingress };
    context.issues.push({ code: 'custom', input: text, message: problem });
    return z.NEVER;
  }),
);

virtualRouterIdPair.register(fileForms, {
  type: ['array', 'string'],
  items: { type: 'integer', minimum: 1, maximum: 255 },
});

export const keepalivedMonitorCommand = commandSpec({
  name: 'keepalived monitor',
  section: 'keepalived',
  summary:
    'Finds the nodes that share the VIPs, renders keepalived.conf, tracks health and requests reloads.',
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
    'Without --ingress-health an ingress VIP stays where it is, whatever happens to the router there. With it, peers are polled at the same URL on their own addresses; if no router answers, nothing moves.',
    'Exit codes: 0 stopped on request, 1 runtime failure, 2 invalid usage or configuration.',
  ],
  derive: (settings) => {
    const { runDir, steering } = settings;
    const vips = [...settings.apiVips, ...settings.ingressVips];
    const problems = [...vipFlagProblems(settings), ...metricsListenProblems(settings)];
    if (problems.length > 0) throw new ConfigError(problems);
    const trackFiles: TrackFiles = { api: `${runDir}/lb.track`, ingress: `${runDir}/ingress.track` };
    return {
      ...settings,
      /** The API VIPs, canonical, then the ingress VIPs. */
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

interface VipFlags {
  readonly apiVips: readonly string[];
  readonly ingressVips: readonly string[];
  readonly ingressHealth?: HealthUrl | undefined;
}

/** Problems of the combination of flags, each of which is valid by itself. */
function vipFlagProblems(flags: VipFlags): readonly string[] {
  const { apiVips, ingressVips } = flags;
  const both = apiVips.filter((vip) => ingressVips.includes(vip));
  return [
    ...(apiVips.length + ingressVips.length === 0
      ? ['Cannot run without --api-vips or --ingress-vips: expected at least one of them']
      : []),
    ...familyProblems('--api-vips', apiVips),
    ...familyProblems('--ingress-vips', ingressVips),
    ...both.map(
      (vip) => `Cannot use --ingress-vips "${vip}": it is already an API VIP, expected another one`,
    ),
    ...healthProblems(flags),
  ];
}

/** `--ingress-health` must not be a VIP, behind which the current holder answers instead of this node. */
function healthProblems({ apiVips, ingressVips, ingressHealth }: VipFlags): readonly string[] {
  if (ingressHealth === undefined) return [];
  const { host } = ingressHealth;
  if ([...apiVips, ...ingressVips].includes(host))
    return [`Cannot use --ingress-health at ${host}: it is a VIP, expected localhost or this node's address`];
  return ingressVips.length > 0
    ? []
    : ['Cannot use --ingress-health without --ingress-vips: expected a VIP that it applies to'];
}

/** Two VIPs of one kind and family would be two instances with the same virtual router id. */
function familyProblems(flag: string, vips: readonly string[]): readonly string[] {
  const families = vips.map((vip) => parseAddress(vip)?.family);
  return new Set(families).size === families.length
    ? []
    : [`Cannot use ${flag} "${vips.join(',')}": expected at most one IPv4 and one IPv6 address`];
}
