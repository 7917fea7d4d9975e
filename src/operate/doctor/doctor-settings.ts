import { hostname } from 'node:os';
import * as z from 'zod/mini';
import type { CommandSpec } from '../../cli/command-line.ts';
import { durationMs } from '../../cli/duration.ts';
import { absolutePath, addresses, clusterName, port, socketPath } from '../../cli/fields.ts';
import { outputFormat } from '../../cli/output-format.ts';
import { parseSettings } from '../../cli/parse-settings.ts';
import { type PeerSettings, peerFields, peerProblems, peerSettings } from '../../cli/peer-settings.ts';
import { defaultPorts } from '../../cli/ports.ts';
import type { SettingsFile, SettingsReader } from '../../cli/settings-values.ts';
import { peerFlags, sourceFlag } from '../../cli/shared-flags.ts';
import { ConfigError, messageOf } from '../../engine/system/errors.ts';
import { virtualRouterIdPair } from '../../vip/router-id-fields.ts';

export const doctorCommand: CommandSpec = {
  name: 'doctor',
  summary:
    'Looks at this node: what is wrong or would be, why it matters, and what to type. Changes nothing that lasts.',
  // For what only HAProxy's pod has: the statistics port. The rest stands at the top.
  section: 'haproxy',
  positionals: [],
  flags: [
    {
      flag: '--api-vips <addresses>',
      help: 'virtual IPs of the API (default: what keepalived.conf has)',
      inFile: 'top',
    },
    { flag: '--ingress-vips <addresses>', help: 'virtual IPs of ingress, likewise', inFile: 'top' },
    {
      flag: '--interface <name>',
      help: 'where the VIPs go (default: the one whose subnet holds them)',
      inFile: 'top',
    },
    {
      flag: '--cluster-name <name>',
      help: 'gives the virtual router ids (default: those of keepalived.conf, else what hawser would use)',
      inFile: 'top',
    },
    {
      flag: '--virtual-router-ids <ids>',
      help: 'API,INGRESS instead',
      keyInFile: ['keepalived', 'virtualRouterIds'],
    },
    {
      flag: '--kubeconfig <path>',
      help: "as for the monitors (default: the monitor's own, else /etc/hawser/kubeconfig, else the kubelet's)",
      inFile: 'top',
    },
    {
      flag: '--node-name <name>',
      help: "this node's name in the list of nodes (default: the hostname)",
      inFile: 'top',
    },
    sourceFlag,
    {
      flag: '--servers <list>',
      help: 'HOST=IP[:PORT],… the nodes, where the API cannot be asked',
      inFile: 'top',
    },
    {
      flag: '--api-port <port>',
      help: 'port of the API servers, and of the VIP',
      default: `${defaultPorts.api}`,
      inFile: 'top',
    },
    {
      flag: '--lb-port <port>',
      help: 'port HAProxy serves clients on',
      default: `${defaultPorts.loadBalancer}`,
      inFile: 'top',
    },
    {
      flag: '--stat-port <port>',
      help: "HAProxy's statistics page, on loopback",
      default: `${defaultPorts.statistics}`,
    },
    {
      flag: '--health-port <port>',
      help: '/haproxy_ready and /haproxy_monitor',
      default: `${defaultPorts.health}`,
      inFile: 'top',
    },
    {
      flag: '--haproxy-config <path>',
      help: 'what HAProxy reads',
      default: '/etc/haproxy/haproxy.cfg',
      inFile: 'never',
    },
    {
      flag: '--keepalived-config <path>',
      help: 'what keepalived reads',
      default: '/etc/keepalived/keepalived.conf',
      inFile: 'never',
    },
    {
      flag: '--haproxy-socket <path>',
      help: "its supervisor's control socket",
      default: '/var/run/haproxy/haproxy-master.sock',
      inFile: 'never',
    },
    {
      flag: '--keepalived-socket <path>',
      help: "its supervisor's control socket",
      default: '/var/run/keepalived/keepalived.sock',
      inFile: 'never',
    },
    { flag: '--haproxy <path>', help: 'the program', default: '/usr/sbin/haproxy' },
    { flag: '--keepalived <path>', help: 'the program', default: '/usr/sbin/keepalived', inFile: 'never' },
    {
      flag: '--manifests <path>',
      help: "the kubelet's static pods",
      default: '/etc/kubernetes/manifests',
      inFile: 'never',
    },
    {
      flag: '--root <path>',
      help: "where the node's files are, in a container",
      default: '/',
      inFile: 'never',
    },
    ...peerFlags,
    { flag: '--only <ids>', help: 'only these checks, separated by commas', inFile: 'never' },
    {
      flag: '--timeout <duration>',
      help: 'how long each check may take, beside listening; all run at once',
      default: '2s',
      inFile: 'never',
    },
    { flag: '--json', help: 'print JSON, as schemas/doctor.schema.json describes it', inFile: 'never' },
  ],
  examples: [
    ['hawser doctor --api-vips 192.0.2.100', 'before hawser is installed: would it work here?'],
    ['hawser doctor', 'on a node that runs it: is everything in place?'],
    ['hawser doctor --only vip-holder,vrrp-adverts', 'two questions'],
    ['hawser doctor --only foreign-router-id --virtual-router-ids 91,92', 'are these free on the segment?'],
    ['hawser doctor --json | jq \'.checks[] | select(.verdict == "fail")\''],
  ],
  notes: [
    'It works with any process of hawser dead. Where it cannot look, it says so: without root, or in a container without the files of the node. docs/doctor.md lists the checks.',
    'Exit codes: 0 healthy, warnings included; 1 a check failed; 2 none failed, but one could not look ("cannot tell"), or usage.',
  ],
};

const text = z.string().check(z.minLength(1, { error: 'expected a name' }));
const list = z.pipe(
  z.string(),
  z.transform((value) => value.split(',').map((part) => part.trim())),
);

const schema = z.object({
  apiVips: z._default(addresses, []),
  ingressVips: z._default(addresses, []),
  interface: z.optional(text),
  clusterName: z.optional(clusterName),
  virtualRouterIds: z.optional(virtualRouterIdPair),
  kubeconfig: z.optional(absolutePath),
  nodeName: z._default(text, hostname),
  source: z.enum(['nodes', 'endpoints', 'static'], { error: 'expected nodes, endpoints or static' }),
  servers: z.optional(text),
  apiPort: port,
  lbPort: port,
  statPort: port,
  healthPort: port,
  haproxyConfig: absolutePath,
  keepalivedConfig: absolutePath,
  haproxySocket: socketPath,
  keepalivedSocket: socketPath,
  haproxy: absolutePath,
  keepalived: absolutePath,
  manifests: absolutePath,
  root: absolutePath,
  ...peerFields,
  only: z.optional(list),
  timeout: durationMs,
  json: outputFormat,
});

export type DoctorCommandSettings = z.infer<typeof schema> & { readonly peers: PeersSetting };

type PeersSetting =
  | ({ readonly kind: 'set' } & PeerSettings)
  | { readonly kind: 'half'; readonly problems: readonly string[] }
  | undefined;

/** An incomplete setting is a finding; it does not prevent the other checks. */
function peersOf(settings: z.infer<typeof schema>): PeersSetting {
  const problems = peerProblems(settings, [...settings.apiVips, ...settings.ingressVips]);
  if (problems.length > 0) return { kind: 'half', problems };
  const peers = peerSettings(settings);
  return peers && { kind: 'set', ...peers };
}

/** The outcome of reading the settings file. A broken file is a finding; it does not prevent the other checks. */
export type SettingsFileReading =
  | { readonly kind: 'none' }
  | { readonly kind: 'read'; readonly path: string; readonly file: SettingsFile }
  | { readonly kind: 'broken'; readonly problems: readonly string[] };

/** Reads the settings file for as long as it is right, and remembers what is wrong with it. */
export function forgivingReader(read: SettingsReader): {
  readonly read: SettingsReader;
  readonly look: () => SettingsFileReading;
} {
  let look: SettingsFileReading = { kind: 'none' };
  return {
    look: () => look,
    read: (path) => {
      try {
        const file = read(path);
        if (file !== undefined) look = { kind: 'read', path: file.path, file };
        return file;
      } catch (error) {
        const problems = error instanceof ConfigError ? error.problems : [messageOf(error)];
        look = { kind: 'broken', problems };
        return undefined;
      }
    },
  };
}

/** Throws a ConfigError that lists every problem, an unknown check of `--only` among them. */
export function doctorSettings(
  values: Readonly<Record<string, unknown>>,
  checkIds: readonly string[],
): DoctorCommandSettings {
  const settings = parseSettings(schema, values);
  const strangers = (settings.only ?? []).filter((id) => !checkIds.includes(id));
  if (strangers.length > 0)
    throw new ConfigError(
      strangers.map(
        (id) => `Cannot use --only "${id}": there is no such check, expected ${checkIds.join(', ')}`,
      ),
    );
  return { ...settings, peers: peersOf(settings) };
}
