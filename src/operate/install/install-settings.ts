import * as z from 'zod/mini';
import type { CommandSpec, Flag } from '../../cli/command-line.ts';
import { durationMs } from '../../cli/duration.ts';
import { absolutePath, addresses } from '../../cli/fields.ts';
import { outputFormat } from '../../cli/output-format.ts';
import { parseSettings } from '../../cli/parse-settings.ts';
import { ConfigError } from '../../engine/system/errors.ts';

const rootFlag: Flag = { flag: '--root <dir>', help: "the node's root directory", default: '/' };
const dryRunFlag: Flag = {
  flag: '--dry-run',
  help: 'show what would change, and change nothing',
  typedOnly: true,
};

const jsonFlag: Flag = { flag: '--json', help: 'print one document: the steps, and what came of them' };

export const installCommand: CommandSpec = {
  name: 'install',
  summary: 'Installs settings, templates and static pods on this control-plane node, or updates them.',
  positionals: [],
  flags: [
    {
      flag: '--api-vip <addresses>',
      help: 'virtual IP of the API; one of each family, separated by a comma',
    },
    { flag: '--ingress-vip <addresses>', help: 'virtual IP of ingress, likewise' },
    {
      flag: '--cluster-name <name>',
      help: "the same on all nodes (default: the name that the VIP's holder reports, else from the VIP)",
    },
    { flag: '--interface <name>', help: 'where the VIPs go (default: the one whose subnet holds them)' },
    {
      flag: '--flavor <flavor>',
      help: 'kubeadm, or openshift, which replaces its two pods (default: as before)',
      choices: ['kubeadm', 'openshift'],
    },
    { flag: '--image <image>', help: 'of all containers (default: as before, else hawser with its version)' },
    {
      flag: '--credentials <whose>',
      help: "hawser's own kubeconfig, or one with the kubelet's certificate, which is renewed (default: as before, else own)",
      choices: ['own', 'kubelet'],
    },
    { flag: '--first-node', help: 'kubeadm init runs here next: hold the VIP without an API' },
    { flag: '--join', help: 'this node joins the cluster that answers at the VIP' },
    rootFlag,
    {
      flag: '--patches <dir>',
      help: 'patches of the pods, as for kubeadm; a path on the node (default: as before)',
    },
    {
      flag: '--overwrite',
      help: 'replace files that were edited; each is kept as FILE.saved',
      typedOnly: true,
    },
    { flag: '--print', help: 'only print every file as cloud-config, for any node' },
    dryRunFlag,
    { flag: '--yes', help: 'do not ask', typedOnly: true },
    jsonFlag,
  ],
  examples: [
    ['hawser install --api-vip 192.0.2.100 --image IMAGE --dry-run'],
    [
      'hawser install --api-vip 192.0.2.100 --image IMAGE --first-node',
      'on the node where kubeadm init runs next',
    ],
    ['hawser install --api-vip 192.0.2.100 --image IMAGE --join', 'on every further control-plane node'],
    ['hawser install --image NEW --yes', 'an upgrade, without a question'],
    ['hawser install --api-vip 192.0.2.100 --image IMAGE --print', 'for cloud-init, GitOps or Cluster API'],
  ],
  notes: [
    '/etc/hawser/config.yaml keeps its values, except those given by flags.',
    'Edited templates and manifests stay as they are. Patches are files such as haproxy.yaml and keepalived0+json.yaml.',
    'Manifests are written last, each in one step. If a step fails, the earlier ones are undone.',
    'Exit codes: 0 done or nothing to do, 1 failure, 2 refused: every reason is listed and nothing was written.',
  ],
};

export const uninstallCommand: CommandSpec = {
  name: 'uninstall',
  summary: 'Removes the pods, waits for their end, and removes VIPs, the firewall table and files.',
  positionals: [],
  flags: [
    { flag: '--keep-config', help: 'keep the settings, the kubeconfig and the certificates for peers' },
    { flag: '--timeout <duration>', help: 'how long the pods may take to end', default: '90s' },
    rootFlag,
    dryRunFlag,
    jsonFlag,
  ],
  examples: [['hawser uninstall --dry-run'], ['hawser uninstall --keep-config', 'to install it again later']],
  notes: [
    'Only what `hawser install` has written is removed; a file that was edited since is kept as FILE.saved.',
    'Exit codes: 0 nothing is left, 1 something is: it is listed, 2 usage.',
  ],
};

const name = z.string().check(z.minLength(1, { error: 'expected a name' }));

const installSchema = z.object({
  apiVip: z.optional(addresses),
  ingressVip: z.optional(addresses),
  clusterName: z.optional(name),
  interface: z.optional(name),
  flavor: z.optional(z.enum(['kubeadm', 'openshift'], { error: 'expected kubeadm or openshift' })),
  image: z.optional(
    z
      .string()
      .check(
        z.regex(/^[A-Za-z0-9][\w.\-/:@]*$/, { error: 'expected the name of an image, such as hawser:0.1.0' }),
      ),
  ),
  credentials: z.optional(z.enum(['own', 'kubelet'], { error: 'expected own or kubelet' })),
  firstNode: z._default(z.boolean(), false),
  join: z._default(z.boolean(), false),
  root: absolutePath,
  patches: z.optional(absolutePath),
  overwrite: z._default(z.boolean(), false),
  print: z._default(z.boolean(), false),
  dryRun: z._default(z.boolean(), false),
  yes: z._default(z.boolean(), false),
  json: outputFormat,
});

const uninstallSchema = z.object({
  keepConfig: z._default(z.boolean(), false),
  timeout: durationMs,
  root: absolutePath,
  dryRun: z._default(z.boolean(), false),
  json: outputFormat,
});

export type InstallSettings = z.infer<typeof installSchema>;
export type UninstallSettings = z.infer<typeof uninstallSchema>;

export function installSettings(values: Readonly<Record<string, unknown>>): InstallSettings {
  const settings = parseSettings(installSchema, values);
  if (settings.json === undefined) return settings;
  if (settings.print) throw new ConfigError(['Cannot use --json with --print, which prints cloud-config']);
  if (!settings.yes && !settings.dryRun)
    throw new ConfigError(['Cannot ask for a confirmation with --json: expected --yes or --dry-run']);
  return settings;
}

export function uninstallSettings(values: Readonly<Record<string, unknown>>): UninstallSettings {
  return parseSettings(uninstallSchema, values);
}
