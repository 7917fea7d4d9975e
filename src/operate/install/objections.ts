import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { presentAddresses } from '../../engine/system/network/interface-addresses.ts';
import {
  type ListeningPort,
  listeningPorts,
  ownerOf,
  ownerPidOf,
} from '../../engine/system/network/listening-ports.ts';
import { daemonOf } from '../../engine/system/process/hawser-processes.ts';
import { askVip } from './ask-vip.ts';
import type { Draft, OnDisk } from './draft.ts';
import { portsOf } from './effective-settings.ts';
import { foreignManifests } from './foreign-manifests.ts';
import type { InstallSettings } from './install-settings.ts';
import { type Credentials, layout } from './layout.ts';
import { manifestContainers } from './manifest-containers.ts';
import { isSupervisor, supervisorPage } from './supervisor-pages.ts';

interface Objections {
  /** Each says what prevents the install, and how to resolve it. */
  readonly problems: readonly string[];
  readonly notices: readonly string[];
}

/** The port at which ingress answers, to find out which host has its VIP. */
const INGRESS_PORT = 443;

/**
 * The commands of docs/install.md. The subshell keeps the caller's umask; ten years are the lifetime of the cluster's
 * CA.
 */
const kubeconfigCommands: Readonly<Record<Credentials, string>> = {
  own: `(umask 077; kubeadm kubeconfig user --client-name hawser --validity-period 87600h >${layout.kubeconfig})`,
  kubelet: `install -m 0600 /etc/kubernetes/kubelet.conf ${layout.kubeconfig}`,
};

/** Checks everything that could prevent an install, all at once. Changes nothing. */
export async function objectionsTo(
  asked: InstallSettings,
  draft: Draft,
  disk: OnDisk,
  /** Paths of other pods with the names of ours. */
  others: readonly string[],
): Promise<Objections> {
  // It may be present here or on another node.
  const isOurs = (vip: string) => disk.record?.vips.includes(vip) ?? false;
  const found = [
    nodeObjections(asked, disk, draft),
    manifestObjections(asked.root, draft, others),
    { problems: portProblems(draft, disk), notices: [] },
    await pageObjections(draft, disk),
    { problems: await placeProblems(draft, isOurs), notices: [] },
    await answerObjections(asked, draft, disk, isOurs),
  ];
  return joined(found);
}

function joined(found: readonly Objections[]): Objections {
  return {
    problems: found.flatMap(({ problems }) => problems),
    notices: found.flatMap(({ notices }) => notices),
  };
}

function nodeObjections(
  { root, firstNode, join: isJoining }: InstallSettings,
  disk: OnDisk,
  { credentials }: Draft,
): Objections {
  if (!(statSync(root, { throwIfNoEntry: false })?.isDirectory() ?? false))
    return {
      problems: [`Cannot use --root "${root}": there is no such folder, expected a node's root directory`],
      notices: [],
    };
  const notices: string[] = [];
  if (disk.authority === undefined)
    notices.push(
      `${layout.clusterAuthority} is not there: the pods wait for ${firstNode ? 'kubeadm init' : isJoining ? 'kubeadm join' : 'kubeadm init or join (--first-node, --join)'}`,
    );
  if (!existsSync(join(root, layout.kubeconfig)))
    notices.push(
      `${layout.kubeconfig} is not there: the pods wait for it. Once this node is in the cluster type: ${kubeconfigCommands[credentials]}`,
    );
  return { problems: [], notices };
}

function manifestObjections(root: string, draft: Draft, others: readonly string[]): Objections {
  const own = new Set(draft.manifests.map(({ path }) => path));
  const foreign = foreignManifests(root, own, draft.pods);
  return {
    problems: [
      ...others.map(
        (path) =>
          `Cannot replace "${path}": hawser did not write it, expected none; move it out of ${layout.manifests}`,
      ),
      ...foreign.flatMap(({ path, runs }) =>
        runs === undefined
          ? []
          : [
              `Cannot put pods beside "${path}": it runs ${runs}, expected no other load balancer; move it out of ${layout.manifests} (a name with .bak there is read too)`,
            ],
      ),
    ],
    notices: foreign.flatMap(({ path, runs, message }) =>
      runs === undefined ? [`${path} cannot be read: ${message}`] : [],
    ),
  };
}

/** Skips ports that an earlier install uses already. */
function portProblems({ settings }: Draft, disk: OnDisk): readonly string[] {
  const ports = portsOf(settings);
  const all = [{ key: 'apiPort', port: settings.vips.apiPort }, ...ports];
  const twice = all.filter(({ port }, index) => all.findIndex((other) => other.port === port) !== index);
  const own = disk.record?.ports ?? [];
  const busy = listeningPorts().filter(({ port }) => !own.includes(port));
  return [
    ...twice.map(
      ({ key, port }) =>
        `Cannot use ${key} ${port}: it is another setting's port already, expected a free one`,
    ),
    ...ports.flatMap(({ key, port }) => {
      const listener = busy.find((each) => each.port === port);
      if (listener === undefined) return [];
      return [
        `Cannot use ${key} ${port}: ${shownOwner(listener)} listens there, expected a free port; end it, or set ${key} in ${layout.settings}`,
      ];
    }),
  ];
}

/**
 * The supervisor goes on without its page, and the kubelet, which asks there, would end it again and again. This node's own
 * supervisor is no reason against an update, also where it does not answer: to end it would drop the VIP.
 */
async function pageObjections(draft: Draft, disk: OnDisk): Promise<Objections> {
  const started = draft.manifests.flatMap(({ content }) => manifestContainers(content));
  const probed = draft.pods.filter(({ supervisor }) => supervisor.alive !== undefined);
  const pages = probed.flatMap(({ name, supervisor }) =>
    started
      .flatMap(({ args, env }) => supervisorPage(supervisor, args, env) ?? [])
      .map((page) => ({ name, supervisor, page })),
  );
  const found = await Promise.all(
    pages.map(async ({ name, supervisor, page }): Promise<Objections> => {
      const listener = page !== 'off' && listeningPorts().find(({ port }) => port === page.port);
      if (!listener || (await isSupervisor(supervisor, page))) return { problems: [], notices: [] };
      const about = `port ${page.port} for the page of ${name}'s supervisor`;
      const says = `${shownOwner(listener)} listens there`;
      const pid = ownerPidOf(listener);
      const isOwn =
        pid === undefined ? disk.record !== undefined : daemonOf(pid, [supervisor.spec.name]) !== undefined;
      return isOwn
        ? {
            problems: [],
            notices: [`${about}: ${says}, taken for that of this node, though it does not answer`],
          }
        : {
            problems: [
              `Cannot use ${about}: ${says}, expected a free port; end it, or set --listen in a patch`,
            ],
            notices: [],
          };
    }),
  );
  return joined(found);
}

function shownOwner(listener: ListeningPort): string {
  return ownerOf(listener) ?? 'a process that cannot be seen from here';
}

async function placeProblems(
  { settings }: Draft,
  isOurs: (vip: string) => boolean,
): Promise<readonly string[]> {
  const { all, problemsOf } = settings.vips;
  return (await Promise.all(all.map((vip) => problemsOf(vip, isOurs(vip))))).flat();
}

/**
 * A VIP that another host has already would exist twice, unless that host belongs to the cluster which this node joins.
 */
async function answerObjections(
  asked: InstallSettings,
  draft: Draft,
  disk: OnDisk,
  isOurs: (vip: string) => boolean,
): Promise<Objections> {
  const { all, api, apiPort } = draft.settings.vips;
  const answers = await Promise.all(
    all
      .filter((vip) => !isOurs(vip) && !presentAddresses().has(vip))
      .map(async (vip) => {
        const port = api.includes(vip) ? apiPort : INGRESS_PORT;
        return { vip, answer: await askVip(vip, port, disk.authority) };
      }),
  );
  const taken = answers.flatMap(({ vip, answer }) =>
    answer.kind === 'taken' ? [{ vip, what: answer.what }] : [],
  );
  return {
    problems: taken.flatMap(({ vip, what }) =>
      asked.join
        ? []
        : [
            `Cannot use VIP "${vip}": ${what} has it; if that is the cluster that this node joins, type --join`,
          ],
    ),
    notices: answers.flatMap(({ vip, answer }) =>
      answer.kind === 'cluster' ? [`the cluster answers at ${vip}`] : [],
    ),
  };
}
