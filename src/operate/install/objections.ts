import { commandAmong } from '../../cli/command-spec.ts';
import type { Pod } from '../../cli/pod.ts';
import { messageOf } from '../../engine/system/errors.ts';
import { fieldOf } from '../../engine/system/field-of.ts';
import { instanceName } from '../../engine/system/process/instance-name.ts';
import type { DesiredInstall } from './desired.ts';
import type { Difference, EditedFile, ForeignConfiguration } from './diff.ts';
import { type Disk, namesIn, textOn } from './disk.ts';
import { portsOf } from './effective-settings.ts';
import type { InstallSettings } from './install-settings.ts';
import { isManifest, kubeconfigCommands, layout, podLayout } from './layout.ts';
import { containersIn, type ManifestContainer, plainIn } from './manifest-containers.ts';
import type { BusyPage, NodeFindings, VipProbe } from './probe.ts';

interface Objections {
  /** What prevents the install, and how to resolve it. */
  readonly problems: readonly string[];
  readonly notices: readonly string[];
}

/** Returns everything that prevents the install, and notices for the operator. */
export function findObjections(
  options: InstallSettings,
  disk: Disk,
  desired: DesiredInstall,
  difference: Difference,
  findings: NodeFindings & { readonly vips: ReadonlyMap<string, VipProbe> },
): Objections {
  const { pods, manifests } = desired;
  // `leftPods` reports hawser's own manifests that do not belong here.
  const own = [...manifests, ...(disk.record?.files ?? [])];
  const all: readonly Partial<Objections>[] = [
    nodeObjections(options, disk, desired),
    { problems: difference.others.map(othersProblem) },
    ...foreignManifests(disk, new Set(own.map(({ path }) => path)), pods),
    { problems: leftPods(disk, desired) },
    { problems: portProblems(desired, disk, findings.busy) },
    ...findings.pages.map(pageObjection),
    { problems: findings.vipProblems },
    vipObjections(options, findings.vips),
    { notices: desired.notices },
    { notices: difference.foreign.map(foreignNotice), problems: difference.problems },
    ...difference.edited.map(editedObjection),
  ];
  return {
    problems: all.flatMap(({ problems = [] }) => problems),
    notices: all.flatMap(({ notices = [] }) => notices),
  };
}

function othersProblem(path: string): string {
  return `Cannot replace "${path}": hawser did not write it, expected no such file; move it out of ${layout.manifests}`;
}

function foreignNotice({ path, aside, service }: ForeignConfiguration): string {
  const kept = `${path} is not hawser's: it is kept as ${aside}, and hawser uninstall puts it back`;
  return service === undefined ? kept : `${kept}; ${service} reads it: systemctl disable --now ${service}`;
}

/**
 * An edited template still works, and so does an edited manifest if the install would not change it. Any other edited manifest
 * is a problem, because the pod would not get its new image or settings.
 */
function editedObjection({ desired: { path }, isOutdated }: EditedFile): Partial<Objections> {
  return isOutdated && isManifest(path)
    ? {
        problems: [
          `Cannot change "${path}": it was edited since hawser wrote it; put the edits into --patches DIR and use --overwrite, which keeps a copy`,
        ],
      }
    : { notices: [`${path} was edited and stays as it is; --overwrite replaces it and keeps a copy`] };
}

function nodeObjections(
  { root, firstNode, join: isJoining }: InstallSettings,
  disk: Disk,
  { credentials, settings: { isWorker } }: DesiredInstall,
): Partial<Objections> {
  if (disk.at('/')?.kind !== 'folder')
    return {
      problems: [`Cannot use --root "${root}": no such folder, expected a node's root directory`],
    };
  const notices: string[] = [];
  if (disk.at(layout.clusterAuthority) === undefined)
    notices.push(
      `${layout.clusterAuthority} does not exist yet: the pods wait for ${firstNode ? 'kubeadm init' : isJoining || isWorker ? 'kubeadm join' : 'kubeadm init or join (--first-node, --join)'}`,
    );
  if (disk.at(layout.kubeconfig) === undefined)
    notices.push(
      `${layout.kubeconfig} does not exist yet: the pods wait for it. Once this node has joined the cluster, run: ${kubeconfigCommands[credentials](layout.kubeconfig)}`,
    );
  return { notices };
}

/** Installed pods that do not belong on this kind of node. An install adds and replaces pods, but removes none. */
function leftPods({ record }: Disk, { pods, settings: { isWorker } }: DesiredInstall): readonly string[] {
  const desired = new Set(pods.map((pod) => podLayout(pod).manifest));
  const manifests = (record?.files ?? []).filter(({ path }) => isManifest(path));
  return manifests.flatMap(({ path }) =>
    desired.has(path)
      ? []
      : [
          `Cannot install ${isWorker ? 'a worker' : 'a control-plane node'} over "${path}": that pod does not belong on this node; run hawser uninstall first`,
        ],
  );
}

/** Ports that two settings use, and ports on which other processes listen. Ignores the ports of an earlier install. */
function portProblems(
  { settings }: DesiredInstall,
  disk: Disk,
  listening: NodeFindings['busy'],
): readonly string[] {
  const ports = portsOf(settings);
  const all = [{ key: 'apiPort', port: settings.vips.apiPort }, ...ports];
  const twice = all.filter(({ port }, index) => all.findIndex((other) => other.port === port) !== index);
  const own = disk.record?.ports ?? [];
  const busy = listening.filter(({ port }) => !own.includes(port));
  return [
    ...twice.map(
      ({ key, port }) => `Cannot use ${key} ${port}: another setting uses this port, expected a free port`,
    ),
    ...ports.flatMap(({ key, port }) => {
      const listener = busy.find((each) => each.port === port);
      if (listener === undefined) return [];
      return [
        `Cannot use ${key} ${port}: ${listener.owner} listens there, expected a free port; stop it, or set ${key} in ${layout.settings}`,
      ];
    }),
  ];
}

/**
 * A supervisor whose port is in use runs without its page, and the kubelet, which probes the page, would restart it repeatedly. This
 * node's own supervisor does not prevent an update, even if it does not answer, because stopping it would drop the VIP.
 */
function pageObjection({ pod, port, listener, isOwn }: BusyPage): Partial<Objections> {
  const what = `port ${port} for the page of ${pod}'s supervisor`;
  const state = `${listener} listens there`;
  return isOwn
    ? { notices: [`${what}: ${state}, assumed to be this node's supervisor although it does not answer`] }
    : {
        problems: [`Cannot use ${what}: ${state}, expected a free port; stop it, or set --listen in a patch`],
      };
}

/** A VIP that another host has is a conflict, unless the host belongs to the cluster that this node joins. */
function vipObjections(options: InstallSettings, probes: ReadonlyMap<string, VipProbe>): Objections {
  return {
    problems: [...probes].flatMap(([vip, probe]) =>
      probe.kind !== 'in-use' || options.join
        ? []
        : [`Cannot use VIP "${vip}": ${probe.by} has it; if this node joins that cluster, use --join`],
    ),
    notices: [...probes].flatMap(([vip, probe]) =>
      probe.kind === 'cluster' ? [`the cluster answers at ${vip}`] : [],
    ),
  };
}

/**
 * Returns a problem for each manifest in the kubelet's folder, except hawser's own, that runs a load balancer or holds a VIP, and a
 * notice for each that cannot be read. The kubelet reads every file whose name does not start with a dot, so `haproxy.yaml.bak`
 * is another pod. A pod of hawser's programs with `--instance` does not conflict.
 */
export function foreignManifests(
  disk: Disk,
  ours: ReadonlySet<string>,
  pods: readonly Pod[],
): readonly Partial<Objections>[] {
  const rivals = ['kube-vip', ...pods.map(({ program }) => program)];
  return namesIn(disk, layout.manifests).map((name): Partial<Objections> => {
    const path = `${layout.manifests}/${name}`;
    if (name.startsWith('.') || ours.has(path)) return {};
    try {
      const entry = disk.at(path);
      if (entry?.kind === 'unreadable') throw new Error(entry.message);
      const plain = plainIn(textOn(disk, path) ?? '');
      const runs = isOtherInstance(containersIn(plain), pods) ? undefined : rivalIn(plain, rivals);
      if (runs === undefined) return {};
      return {
        problems: [
          `Cannot install next to "${path}": it runs ${runs}, expected no other load balancer; move it out of ${layout.manifests} (the kubelet also reads files named .bak there)`,
        ],
      };
    } catch (error) {
      return { notices: [`${path} cannot be read: ${messageOf(error)}`] };
    }
  });
}

/** Whether every container is a hawser daemon with `--instance`. */
function isOtherInstance(containers: readonly ManifestContainer[], pods: readonly Pod[]): boolean {
  const daemons = pods.flatMap((pod) => pod.daemons);
  const isOther = ({ args, env }: ManifestContainer): boolean =>
    commandAmong(daemons, args) !== undefined && instanceName(args, env) !== undefined;
  return containers.length > 0 && containers.every(isOther);
}

function rivalIn(pod: unknown, rivals: readonly string[]): string | undefined {
  const words = listOf(fieldOf(fieldOf(pod, 'spec'), 'containers')).flatMap((container) => [
    fieldOf(container, 'name'),
    fieldOf(container, 'image'),
    ...listOf(fieldOf(container, 'command')),
  ]);
  return rivals.find((rival) => words.some((word) => typeof word === 'string' && word.includes(rival)));
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
