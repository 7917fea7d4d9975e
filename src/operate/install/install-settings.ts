import * as z from 'zod/mini';
import { commandSpec, flag, flagName, jsonFlag, type SettingsOf, toggle } from '../../cli/command-spec.ts';
import { absolutePath, addresses, durationMs, nonEmpty, oneOf } from '../../cli/fields.ts';
import { ConfigError } from '../../engine/system/errors.ts';

const root = flag('<dir>', absolutePath, "the node's root directory", { default: '/' });
const dryRun = toggle('show what would change, and change nothing', { typedOnly: true });
const json = jsonFlag('print one document: the steps and their outcome');

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
      'virtual IP of the API; at most one per address family, separated by a comma',
    ),
    ingressVip: flag('<addresses>', z.optional(addresses), 'virtual IP of ingress, in the same form'),
    clusterName: flag(
      '<name>',
      z.optional(nonEmpty),
      "name of the cluster, the same on all nodes (default: from the VIP's holder, else derived from the VIP)",
    ),
    interface: flag(
      '<name>',
      z.optional(nonEmpty),
      'interface for the VIPs (default: the one whose subnet contains them)',
    ),
    image: flag(
      '<image>',
      z.optional(imageName),
      'image of all containers (default: as before, else the image of this version of hawser)',
    ),
    credentials: flag(
      '<whose>',
      z.optional(oneOf(['kubelet', 'own'])),
      "credentials of the monitors: the kubelet's certificate, which is renewed, or a kubeconfig for hawser (default: as before, else kubelet)",
    ),
    firstNode: toggle('kubeadm init runs here next: hold the VIP without an API'),
    join: toggle('this node joins the cluster that answers at the VIP'),
    worker: toggle('this node is a worker: HAProxy alone, for its own clients, on 127.0.0.1:6443'),
    root,
    patches: flag(
      '<dir>',
      z.optional(absolutePath),
      'folder on the node with patches for the pods, as for kubeadm (default: as before)',
    ),
    overwrite: toggle('replace edited files, and keep each as FILE.saved', { typedOnly: true }),
    print: toggle('only print all files as cloud-config, for any node'),
    dryRun,
    yes: toggle('do not ask for confirmation', { typedOnly: true }),
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
    ['hawser install --image NEW --yes', 'an upgrade without confirmation'],
    ['hawser install --api-vip 192.0.2.100 --image IMAGE --print', 'for cloud-init, GitOps or Cluster API'],
  ],
  notes: [
    '/etc/hawser/config.yaml keeps its values, except those set by flags.',
    'Edited templates and manifests are not changed. Patches are files such as haproxy.yaml and keepalived0+json.yaml.',
    'Manifests are written last, each atomically. If a step fails, all earlier steps are undone.',
    'Exit codes: 0 done or nothing to do, 1 failure, 2 refused: all reasons are listed and nothing was written.',
  ],
  derive: (settings) => {
    const { apiVip, ingressVip, clusterName, interface: vipInterface, firstNode, join } = settings;
    const ofVips = { apiVip, ingressVip, clusterName, interface: vipInterface, firstNode, join };
    const typed = Object.entries(ofVips).filter(([, value]) => value !== undefined && value !== false);
    if (settings.worker && typed.length > 0)
      throw new ConfigError(
        typed.map(
          ([name]) =>
            `Cannot use --worker with ${flagName(name)}: a worker holds no VIP, expected one of the two`,
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
  summary: 'Removes the pods, waits until they have stopped, and removes VIPs, the firewall table and files.',
  flags: {
    keepConfig: toggle('keep the settings and the kubeconfig'),
    timeout: flag(
      '<duration>',
      z.optional(durationMs),
      'how long to wait for the pods to stop (default: 90s, or longer with a longer haproxy.drainTimeout)',
    ),
    root,
    dryRun,
    json,
  },
  examples: [['hawser uninstall --dry-run'], ['hawser uninstall --keep-config', 'to install it again later']],
  notes: [
    'Only files that `hawser install` wrote are removed. A file that was edited since is kept as FILE.saved.',
    'Exit codes: 0 completely removed, 1 something is left and listed, 2 invalid usage.',
  ],
});

export type InstallSettings = SettingsOf<typeof installCommand>;
export type UninstallSettings = SettingsOf<typeof uninstallCommand>;
