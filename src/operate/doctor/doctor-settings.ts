import { hostname } from 'node:os';
import * as z from 'zod/mini';
import { commandSpec, jsonFlag, type SettingsOf } from '../../cli/command-spec.ts';
import { durationMs } from '../../cli/duration.ts';
import { absolutePath, nonEmpty, socketPath } from '../../cli/fields.ts';
import {
  type PeerFieldValues,
  type PeerSettings,
  peerFlags,
  peerProblems,
  peerSettings,
} from '../../cli/peer-settings.ts';
import {
  apiPort,
  apiVips,
  clusterName,
  healthPort,
  ingressVips,
  lbPort,
  servers,
  source,
  statPort,
} from '../../cli/shared-flags.ts';
import { ConfigError } from '../../engine/system/errors.ts';
import { virtualRouterIdPair } from '../../vip/router-id-fields.ts';

const list = z.pipe(
  z.string(),
  z.transform((value) => value.split(',').map((part) => part.trim())),
);

/** `checkIds` are all that `--only` may name. */
export const doctorCommand = (checkIds: readonly string[]) =>
  commandSpec({
    name: 'doctor',
    summary:
      'Looks at this node: what is wrong or would be, why it matters, and what to type. Changes nothing that lasts.',
    // For what only HAProxy's pod has: the statistics port. The rest stands at the top.
    section: 'haproxy',
    flags: {
      apiVips: { ...apiVips, help: 'virtual IPs of the API (default: what keepalived.conf has)' },
      ingressVips,
      interface: {
        value: '<name>',
        help: 'where the VIPs go (default: the one whose subnet holds them)',
        inFile: 'top',
        field: z.optional(nonEmpty),
      },
      clusterName: {
        ...clusterName,
        help: 'gives the virtual router ids (default: those of keepalived.conf, else what hawser would use)',
      },
      virtualRouterIds: {
        value: '<ids>',
        help: 'API,INGRESS instead',
        keyInFile: ['keepalived', 'virtualRouterIds'],
        field: z.optional(virtualRouterIdPair),
      },
      kubeconfig: {
        value: '<path>',
        help: "as for the monitors (default: the monitor's own, else /etc/hawser/kubeconfig, else the kubelet's)",
        inFile: 'top',
        field: z.optional(absolutePath),
      },
      nodeName: {
        value: '<name>',
        help: "this node's name in the list of nodes (default: the hostname)",
        inFile: 'top',
        field: z._default(nonEmpty, hostname),
      },
      source,
      servers: { ...servers, help: 'HOST=IP[:PORT],… the nodes, where the API cannot be asked' },
      apiPort,
      lbPort,
      statPort,
      healthPort: { ...healthPort, help: '/haproxy_ready and /haproxy_monitor' },
      haproxyConfig: {
        value: '<path>',
        help: 'what HAProxy reads',
        default: '/etc/haproxy/haproxy.cfg',
        inFile: 'never',
        field: absolutePath,
      },
      keepalivedConfig: {
        value: '<path>',
        help: 'what keepalived reads',
        default: '/etc/keepalived/keepalived.conf',
        inFile: 'never',
        field: absolutePath,
      },
      haproxySocket: {
        value: '<path>',
        help: "its supervisor's control socket",
        default: '/var/run/haproxy/haproxy-master.sock',
        inFile: 'never',
        field: socketPath,
      },
      keepalivedSocket: {
        value: '<path>',
        help: "its supervisor's control socket",
        default: '/var/run/keepalived/keepalived.sock',
        inFile: 'never',
        field: socketPath,
      },
      haproxy: { value: '<path>', help: 'the program', default: '/usr/sbin/haproxy', field: absolutePath },
      keepalived: {
        value: '<path>',
        help: 'the program',
        default: '/usr/sbin/keepalived',
        inFile: 'never',
        field: absolutePath,
      },
      manifests: {
        value: '<path>',
        help: "the kubelet's static pods",
        default: '/etc/kubernetes/manifests',
        inFile: 'never',
        field: absolutePath,
      },
      root: {
        value: '<path>',
        help: "where the node's files are, in a container",
        default: '/',
        inFile: 'never',
        field: absolutePath,
      },
      ...peerFlags,
      only: {
        value: '<ids>',
        help: 'only these checks, separated by commas',
        inFile: 'never',
        choices: checkIds,
        field: z.optional(list),
      },
      timeout: {
        value: '<duration>',
        help: 'how long each check may take, beside listening; all run at once',
        default: '2s',
        inFile: 'never',
        field: durationMs,
      },
      json: jsonFlag('print JSON, as schemas/doctor.schema.json describes it'),
    },
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
    derive: (settings) => {
      const strangers = (settings.only ?? []).filter((id) => !checkIds.includes(id));
      if (strangers.length > 0)
        throw new ConfigError(
          strangers.map(
            (id) => `Cannot use --only "${id}": there is no such check, expected ${checkIds.join(', ')}`,
          ),
        );
      return { ...settings, peers: peersOf(settings, [...settings.apiVips, ...settings.ingressVips]) };
    },
  });

export type DoctorCommandSettings = SettingsOf<ReturnType<typeof doctorCommand>>;

type PeersSetting =
  | ({ readonly kind: 'set' } & PeerSettings)
  | { readonly kind: 'half'; readonly problems: readonly string[] }
  | undefined;

/** An incomplete setting is a finding; it does not prevent the other checks. */
function peersOf(settings: PeerFieldValues, vips: readonly string[]): PeersSetting {
  const problems = peerProblems(settings, vips);
  if (problems.length > 0) return { kind: 'half', problems };
  const peers = peerSettings(settings);
  return peers && { kind: 'set', ...peers };
}
