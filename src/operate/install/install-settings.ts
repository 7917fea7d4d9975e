import * as z from 'zod/mini';
import { commandSpec, flag, flagName, jsonFlag, type SettingsOf, toggle } from '../../cli/command-spec.ts';
import { absolutePath, addresses, durationMs, nonEmpty, oneOf } from '../../cli/fields.ts';
import { ConfigError } from '../../engine/system/errors.ts';

const root = flag('<dir>', absolutePath, "the node's root directory", { default: '/' });
const dryRun = toggle('show what would change, and change nothing', { typedOnly: true });
const json = jsonFlag('print one document: the steps, and what came of them');

const imageName = z
  .string()
  .check(
    z.regex(/^[A-Za-z0-9][\w.\-/:@]*$/, { error: 'expected the name of an image, such as hawser:0.1.0' }),
  );

export const installCommand = commandSpec({
  name: 'install',
  summary: 'Installs settings, templates and static pods on this node, or updates them.',
  flags: {
    apiVip: flag(
      '<addresses>',
      z.optional(addresses),
      'virtual IP of the API; one of each family, separated by a comma',
    ),
    ingressVip: flag('<addresses>', z.optional(addresses), 'virtual IP of ingress, likewise'),
    clusterName: flag(
      '<name>',
      z.optional(nonEmpty),
      "the same on all nodes (default: the name that the VIP's holder reports, else from the VIP)",
    ),
    interface: flag(
      '<name>',
      z.optional(nonEmpty),
      'where the VIPs go (default: the one whose subnet holds them)',
    ),
    image: flag(
      '<image>',
      z.optional(imageName),
      'of all containers (default: as before, else hawser with its version)',
    ),
    credentials: flag(
      '<whose>',
      z.optional(oneOf(['kubelet', 'own'])),
      "of the monitors: the kubelet's certificate, which is renewed, or a kubeconfig of hawser's own (default: as before, else kubelet)",
    ),
    firstNode: toggle('kubeadm init runs here next: hold the VIP without an API'),
    join: toggle('this node joins the cluster that answers at the VIP'),
    worker: toggle('this node is a worker: HAProxy alone, for its own clients, on 127.0.0.1:6443'),
    root,
    patches: flag(
      '<dir>',
      z.optional(absolutePath),
      'patches of the pods, as for kubeadm; a path on the node (default: as before)',
    ),
    overwrite: toggle('replace files that were edited; each is kept as FILE.saved', { typedOnly: true }),
    print: toggle('only print every file as cloud-config, for any node'),
    dryRun,
    yes: toggle('do not ask', { typedOnly: true }),
    json,
  },
  examples: [
    ['hawser install --api-vip 192.0.2.100 --image IMAGE --dry-run'],
    [
      'hawser install --api-vip 192.0.2.100 --image IMAGE --first-node',
      'on the node where kubeadm init runs next',
    ],
    ['hawser install --api-vip 192.0.2.100 --image IMAGE --join', 'on every further control-plane node'],
    ['hawser install --worker --image IMAGE', 'on a worker: no VIP, no keepalived'],
    ['hawser install --image NEW --yes', 'an upgrade, without a question'],
    ['hawser install --api-vip 192.0.2.100 --image IMAGE --print', 'for cloud-init, GitOps or Cluster API'],
  ],
  notes: [
    '/etc/hawser/config.yaml keeps its values, except those given by flags.',
    'Edited templates and manifests stay as they are. Patches are files such as haproxy.yaml and keepalived0+json.yaml.',
    'Manifests are written last, each in one step. If a step fails, the earlier ones are undone.',
    'Exit codes: 0 done or nothing to do, 1 failure, 2 refused: every reason is listed and nothing was written.',
  ],
  derive: (settings) => {
    const { apiVip, ingressVip, clusterName, interface: vipInterface, firstNode, join } = settings;
    const ofVips = { apiVip, ingressVip, clusterName, interface: vipInterface, firstNode, join };
    const typed = Object.entries(ofVips).filter(([, value]) => value !== undefined && value !== false);
    if (settings.worker && typed.length > 0)
      throw new ConfigError(
        typed.map(
          ([name]) =>
            `Cannot use --worker with ${flagName(name)}: a worker holds no VIP, expected one of them`,
        ),
      );
    if (settings.json !== undefined && settings.print)
      throw new ConfigError(['Cannot use --json with --print, which prints cloud-config']);
    if (settings.json !== undefined && !settings.yes && !settings.dryRun)
      throw new ConfigError(['Cannot ask for a confirmation with --json: expected --yes or --dry-run']);
    return settings;
  },
});

export const uninstallCommand = commandSpec({
  name: 'uninstall',
  summary: 'Removes the pods, waits for their end, and removes VIPs, the firewall table and files.',
  flags: {
    keepConfig: toggle('keep the settings and the kubeconfig'),
    timeout: flag('<duration>', durationMs, 'how long the pods may take to end', { default: '90s' }),
    root,
    dryRun,
    json,
  },
  examples: [['hawser uninstall --dry-run'], ['hawser uninstall --keep-config', 'to install it again later']],
  notes: [
    'Only what `hawser install` has written is removed; a file that was edited since is kept as FILE.saved.',
    'Exit codes: 0 nothing of hawser is left, 1 something is left and listed, 2 usage.',
  ],
});

export type InstallSettings = SettingsOf<typeof installCommand>;
export type UninstallSettings = SettingsOf<typeof uninstallCommand>;
