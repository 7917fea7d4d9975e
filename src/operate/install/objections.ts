import { commandAmong } from '../../cli/command-spec.ts';
import type { Pod } from '../../cli/pod.ts';
import { messageOf } from '../../engine/system/errors.ts';
import { fieldOf } from '../../engine/system/field-of.ts';
import { instanceName } from '../../engine/system/process/instance-name.ts';
import type { NodeAnswers, TakenPage, VipAnswer } from './ask.ts';
import type { Difference, EditedFile, ForeignConfiguration } from './diff.ts';
import { type Disk, namesIn, textOn } from './disk.ts';
import { portsOf } from './effective-settings.ts';
import type { InstallSettings } from './install-settings.ts';
import { type Credentials, isManifest, kubeconfigCommand, layout, podLayout } from './layout.ts';
import { containersIn, type ManifestContainer, plainIn } from './manifest-containers.ts';
import type { Wanted } from './want.ts';

interface Objections {
  /** Each says what prevents the install, and how to resolve it. */
  readonly problems: readonly string[];
  readonly notices: readonly string[];
}

const kubeconfigCommands: Readonly<Record<Credentials, string>> = {
  own: kubeconfigCommand(layout.kubeconfig),
  kubelet: `install -m 0600 /etc/kubernetes/kubelet.conf ${layout.kubeconfig}`,
};

/** Everything that could prevent an install, all at once. */
export function object(
  asked: InstallSettings,
  disk: Disk,
  wanted: Wanted,
  difference: Difference,
  answers: NodeAnswers & { readonly vips: ReadonlyMap<string, VipAnswer> },
): Objections {
  const { pods, manifests } = wanted;
  const all: readonly Partial<Objections>[] = [
    nodeObjections(asked, disk, wanted),
    { problems: difference.others.map(othersProblem) },
    ...foreignManifests(disk, new Set(manifests.map(({ path }) => path)), pods),
    { problems: leftPods(disk, wanted) },
    { problems: portProblems(wanted, disk, answers.busy) },
    ...answers.pages.map(pageObjection),
    { problems: answers.places },
    answerObjections(asked, answers.vips),
    { notices: wanted.notices },
    { notices: difference.foreign.map(foreignNotice), problems: difference.problems },
    ...difference.edited.map(editedObjection),
  ];
  return {
    problems: all.flatMap(({ problems = [] }) => problems),
    notices: all.flatMap(({ notices = [] }) => notices),
  };
}

function othersProblem(path: string): string {
  return `Cannot replace "${path}": hawser did not write it, expected none; move it out of ${layout.manifests}`;
}

function foreignNotice({ path, aside, service }: ForeignConfiguration): string {
  const kept = `${path} is not hawser's: it is kept as ${aside}, and hawser uninstall puts it back`;
  return service === undefined ? kept : `${kept}; ${service} reads it: systemctl disable --now ${service}`;
}

/**
 * An edited template still works, and so does a manifest that hawser would write unchanged. Any other edited manifest
 * must be replaced: otherwise the pod would not get its new image or settings.
 */
function editedObjection({ wanted: { path }, isOutdated }: EditedFile): Partial<Objections> {
  return isOutdated && isManifest(path)
    ? {
        problems: [
          `Cannot change "${path}": it was edited since hawser wrote it; put the edits into --patches DIR and type --overwrite, which keeps a copy`,
        ],
      }
    : { notices: [`${path} was edited and stays as it is; --overwrite replaces it and keeps a copy`] };
}

function nodeObjections(
  { root, firstNode, join: isJoining }: InstallSettings,
  disk: Disk,
  { credentials, settings: { isWorker } }: Wanted,
): Partial<Objections> {
  if (disk.at('/')?.kind !== 'folder')
    return {
      problems: [`Cannot use --root "${root}": there is no such folder, expected a node's root directory`],
    };
  const notices: string[] = [];
  if (disk.at(layout.clusterAuthority) === undefined)
    notices.push(
      `${layout.clusterAuthority} is not there: the pods wait for ${firstNode ? 'kubeadm init' : isJoining || isWorker ? 'kubeadm join' : 'kubeadm init or join (--first-node, --join)'}`,
    );
  if (disk.at(layout.kubeconfig) === undefined)
    notices.push(
      `${layout.kubeconfig} is not there: the pods wait for it. Once this node is in the cluster type: ${kubeconfigCommands[credentials]}`,
    );
  return { notices };
}

/** The pods of another kind of node: an install adds and replaces, and removes none. */
function leftPods({ record }: Disk, { pods, settings: { isWorker } }: Wanted): readonly string[] {
  const wanted = new Set(pods.map((pod) => podLayout(pod).manifest));
  const manifests = (record?.files ?? []).filter(({ path }) => isManifest(path));
  return manifests.flatMap(({ path }) =>
    wanted.has(path)
      ? []
      : [
          `Cannot install ${isWorker ? 'a worker' : 'this node'} over "${path}": that pod does not belong there, expected none; type hawser uninstall first`,
        ],
  );
}

/** Skips ports that an earlier install uses already. */
function portProblems({ settings }: Wanted, disk: Disk, listening: NodeAnswers['busy']): readonly string[] {
  const ports = portsOf(settings);
  const all = [{ key: 'apiPort', port: settings.vips.apiPort }, ...ports];
  const twice = all.filter(({ port }, index) => all.findIndex((other) => other.port === port) !== index);
  const own = disk.record?.ports ?? [];
  const busy = listening.filter(({ port }) => !own.includes(port));
  return [
    ...twice.map(
      ({ key, port }) =>
        `Cannot use ${key} ${port}: it is another setting's port already, expected a free one`,
    ),
    ...ports.flatMap(({ key, port }) => {
      const listener = busy.find((each) => each.port === port);
      if (listener === undefined) return [];
      return [
        `Cannot use ${key} ${port}: ${listener.owner} listens there, expected a free port; end it, or set ${key} in ${layout.settings}`,
      ];
    }),
  ];
}

/**
 * The supervisor goes on without its page, and the kubelet, which asks there, would end it again and again. This node's own
 * supervisor is no reason against an update, also where it does not answer: to end it would drop the VIP.
 */
function pageObjection({ pod, port, listener, isOwn }: TakenPage): Partial<Objections> {
  const about = `port ${port} for the page of ${pod}'s supervisor`;
  const says = `${listener} listens there`;
  return isOwn
    ? { notices: [`${about}: ${says}, taken for that of this node, though it does not answer`] }
    : {
        problems: [`Cannot use ${about}: ${says}, expected a free port; end it, or set --listen in a patch`],
      };
}

/**
 * A VIP that another host has already would exist twice, unless that host belongs to the cluster which this node joins.
 */
function answerObjections(asked: InstallSettings, answers: ReadonlyMap<string, VipAnswer>): Objections {
  return {
    problems: [...answers].flatMap(([vip, answer]) =>
      answer.kind !== 'taken' || asked.join
        ? []
        : [
            `Cannot use VIP "${vip}": ${answer.what} has it; if that is the cluster that this node joins, type --join`,
          ],
    ),
    notices: [...answers].flatMap(([vip, answer]) =>
      answer.kind === 'cluster' ? [`the cluster answers at ${vip}`] : [],
    ),
  };
}

/**
 * Everything in the kubelet's folder, but for our own manifests, that runs a load balancer or holds a VIP, or cannot be read. The
 * kubelet takes every file there whose name does not begin with a dot: a `haproxy.yaml.bak` is one more pod. A pod of hawser's
 * programs with `--instance` is in nobody's way.
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
          `Cannot put pods next to "${path}": it runs ${runs}, expected no other load balancer; move it out of ${layout.manifests} (the kubelet also reads files named .bak there)`,
        ],
      };
    } catch (error) {
      return { notices: [`${path} cannot be read: ${messageOf(error)}`] };
    }
  });
}

/** Every container is a daemon of hawser with `--instance`. */
function isOtherInstance(containers: readonly ManifestContainer[], pods: readonly Pod[]): boolean {
  const daemons = pods.flatMap((pod) => pod.daemons);
  const isOther = ({ args, env }: ManifestContainer): boolean =>
    commandAmong(daemons, args) !== undefined && instanceName(args, env) !== undefined;
  return containers.length > 0 && containers.every(isOther);
}

function rivalIn(pod: unknown, rivals: readonly string[]): string | undefined {
  const words = containersOf(pod).flatMap((container) => [
    fieldOf(container, 'name'),
    fieldOf(container, 'image'),
    ...listOf(fieldOf(container, 'command')),
  ]);
  return rivals.find((rival) => words.some((word) => typeof word === 'string' && word.includes(rival)));
}

function containersOf(pod: unknown): readonly unknown[] {
  return listOf(fieldOf(fieldOf(pod, 'spec'), 'containers'));
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
