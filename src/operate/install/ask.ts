import { codeOf } from '../../engine/system/errors.ts';
import { findHolders } from '../../engine/system/network/address-holders.ts';
import { hostPort } from '../../engine/system/network/address-text.ts';
import { askPage } from '../../engine/system/network/ask-page.ts';
import { presentAddresses } from '../../engine/system/network/interface-addresses.ts';
import {
  type ListeningPort,
  listeningPorts,
  ownerOf,
  ownerPidOf,
} from '../../engine/system/network/listening-ports.ts';
import { shakeHands } from '../../engine/system/network/tls-handshake.ts';
import { daemonOf } from '../../engine/system/process/hawser-processes.ts';
import { type Disk, textOn } from './disk.ts';
import type { InstallSettings } from './install-settings.ts';
import { layout } from './layout.ts';
import { manifestContainers } from './manifest-containers.ts';
import { isSupervisor, supervisorPage } from './supervisor-pages.ts';
import type { Wanted, WantedSettings } from './want.ts';

/** A present host accepts a connection at once; a busy API server needs longer for a handshake. */
const LIMITS = { connectMs: 1_500, handshakeMs: 10_000 };
const TABLE_TIMEOUT_MS = 10_000;

/** The host that has an address. */
export type VipAnswer =
  | { readonly kind: 'free' }
  /** A server whose certificate this cluster's authority has signed. */
  | { readonly kind: 'cluster' }
  | { readonly kind: 'taken'; readonly what: string };

/**
 * Connects to a port of the VIP. A host that refuses is present too, and a silent one may have answered ARP.
 * `authority` is the PEM of the cluster's CA; without one the cluster cannot be recognised.
 */
async function askVip(vip: string, port: number, authority: string | undefined): Promise<VipAnswer> {
  const answer = await knock(vip, port, authority);
  if (answer !== undefined) return answer;
  const [holder] = (await findHolders([vip], [], TABLE_TIMEOUT_MS))(vip);
  if (holder === undefined) return { kind: 'free' };
  return { kind: 'taken', what: `a machine with the hardware address ${holder.mac}` };
}

async function knock(
  vip: string,
  port: number,
  authority: string | undefined,
): Promise<VipAnswer | undefined> {
  // The chain counts: which names a certificate has is not known before the cluster is.
  const shown = await shakeHands({ host: vip, port, authority }, LIMITS);
  if (shown.kind === 'late') return undefined;
  if (shown.kind === 'failed') return meaningOf(shown.error, port);
  if (authority !== undefined && shown.isTrusted) return { kind: 'cluster' };
  const { issuer } = shown.certificate;
  const signer = issuer?.CN === undefined ? 'an unknown authority' : `"${String(issuer.CN)}"`;
  return { kind: 'taken', what: `a TLS server with a certificate of ${signer}` };
}

/** Undefined where nothing came back. */
function meaningOf(error: Error, port: number): VipAnswer | undefined {
  const code = codeOf(error);
  if (code === 'ECONNREFUSED') return { kind: 'taken', what: `a machine with port ${port} closed` };
  if (code === 'ETIMEDOUT' || code === 'EHOSTUNREACH' || code === 'ENETUNREACH') return undefined;
  if (code === 'EADDRNOTAVAIL' || code === 'EINVAL') return undefined;
  return { kind: 'taken', what: `a server on port ${port} that does not speak TLS` };
}

/** The port at which ingress answers, to find out which host has its VIP. */
const INGRESS_PORT = 443;

/** It may be present here or on another node. */
function isOursBefore(disk: Disk, vip: string): boolean {
  return disk.record?.vips.includes(vip) ?? false;
}

/** Asks once for each VIP that neither this node has nor an earlier install had. */
export async function askVips(
  { vips: { all, api, apiPort } }: WantedSettings,
  disk: Disk,
): Promise<ReadonlyMap<string, VipAnswer>> {
  const present = presentAddresses();
  const authority = textOn(disk, layout.clusterAuthority);
  const asked = all.filter((vip) => !isOursBefore(disk, vip) && !present.has(vip));
  const answers = asked.map(
    async (vip) => [vip, await askVip(vip, api.includes(vip) ? apiPort : INGRESS_PORT, authority)] as const,
  );
  return new Map(await Promise.all(answers));
}

/** The holder may have just taken the VIP over. */
const PATIENCE_MS = 5_000;
/** In templates/haproxy.cfg.ejs. */
const CLUSTER_NAME_PATH = '/hawser_cluster_name';

/**
 * The cluster name of the node that holds `vip`, from which its virtual router ids derive. A joining node needs the
 * same name: with other ids it would not hear the holder, and would hold the VIP a second time. `unknown` ends the sentence
 * "the name cannot be learned: …".
 */
async function askClusterName(vip: string, healthPort: number) {
  const at = `http://${hostPort({ host: vip, port: healthPort })}${CLUSTER_NAME_PATH}`;
  const answer = await askPage({ host: vip, port: healthPort }, CLUSTER_NAME_PATH, {
    timeoutMs: PATIENCE_MS,
  });
  if (answer.kind === 'silent') return { unknown: `${at} does not answer (${answer.message})` };
  const name = answer.text.trim();
  if (answer.status === 200 && /^[A-Za-z0-9][A-Za-z0-9.-]{0,252}$/.test(name)) return { name };
  return { unknown: `${at} answers ${answer.status}, without a name` };
}

type ClusterNameChoice =
  /** Use the draft's name. */
  | { readonly kind: 'as-drafted' }
  | { readonly kind: 'learned'; readonly name: string }
  | { readonly kind: 'refused'; readonly message: string };

/**
 * Chooses the cluster name, from which a new node derives its virtual router ids. If a cluster answers at the VIP, its
 * holder reports the name. A name derived from the VIP would be wrong once the VIP has changed, and a node with another
 * id would hold the VIP a second time. Refuses if the name cannot be learned and none is given.
 */
export async function chooseClusterName(
  asked: InstallSettings,
  { vips: { all, healthPort }, givenName: given }: WantedSettings,
  disk: Disk,
  answers: ReadonlyMap<string, VipAnswer>,
): Promise<ClusterNameChoice> {
  const [vip] = all;
  const answer = answers.get(vip ?? '');
  const isNew = disk.record === undefined && !asked.firstNode;
  if (!isNew || vip === undefined || answer === undefined) return { kind: 'as-drafted' };
  if (answer.kind === 'free')
    return asked.join && given === undefined
      ? refuse(`nothing answers at VIP ${vip}; join once the cluster serves there`)
      : { kind: 'as-drafted' };
  // If another host has the VIP, `object` reports that.
  if (answer.kind === 'taken' && !asked.join) return { kind: 'as-drafted' };
  const answered = await askClusterName(vip, healthPort);
  if (answered.name === undefined)
    return given === undefined ? refuse(answered.unknown) : { kind: 'as-drafted' };
  if (given !== undefined && given !== answered.name)
    return {
      kind: 'refused',
      message: `Cannot use cluster name "${given}": the node that holds VIP ${vip} has "${answered.name}", and nodes with different names hold the VIP twice; type --cluster-name ${answered.name}`,
    };
  return { kind: 'learned', name: answered.name };
}

function refuse(reason: string): ClusterNameChoice {
  return {
    kind: 'refused',
    message: `Cannot learn the cluster's name: ${reason}; or type --cluster-name NAME, the clusterName in ${layout.settings} of its other nodes`,
  };
}

/** A page of a supervisor whose port is taken. */
export interface TakenPage {
  readonly pod: string;
  readonly port: number;
  readonly listener: string;
  /** By its process, or by an earlier install where that cannot be seen. */
  readonly isOwn: boolean;
}

/** What the processes of this node say. */
export interface NodeAnswers {
  /** Who listens on which port. */
  readonly busy: readonly { readonly port: number; readonly owner: string }[];
  readonly pages: readonly TakenPage[];
  /** Why the VIPs cannot be put on this node. */
  readonly places: readonly string[];
}

export async function askNode(wanted: Wanted, disk: Disk): Promise<NodeAnswers> {
  const { all, problemsOf } = wanted.settings.vips;
  const listening = listeningPorts();
  const places = all.map((vip) => problemsOf(vip, isOursBefore(disk, vip)));
  const pages = pagesOf(wanted).map(async ({ pod, page }): Promise<readonly TakenPage[]> => {
    const { supervisor, name } = pod;
    const listener = listening.find(({ port }) => port === page.port);
    if (listener === undefined || (await isSupervisor(supervisor, page))) return [];
    const pid = ownerPidOf(listener);
    const isOwn =
      pid === undefined ? disk.record !== undefined : daemonOf(pid, [supervisor.spec.name]) !== undefined;
    return [{ pod: name, port: page.port, listener: shownOwner(listener), isOwn }];
  });
  return {
    busy: listening.map((each) => ({ port: each.port, owner: shownOwner(each) })),
    pages: (await Promise.all(pages)).flat(),
    places: (await Promise.all(places)).flat(),
  };
}

/** The pages of the supervisors that the kubelet will probe, as the manifests start them. */
function pagesOf({ manifests, pods }: Wanted) {
  const started = manifests.flatMap(({ content }) => manifestContainers(content));
  return pods
    .filter(({ supervisor }) => supervisor.alive !== undefined)
    .flatMap((pod) =>
      started.flatMap(({ args, env }) => {
        const page = supervisorPage(pod.supervisor, args, env);
        return page === undefined || page === 'off' ? [] : [{ pod, page }];
      }),
    );
}

function shownOwner(listener: ListeningPort): string {
  return ownerOf(listener) ?? 'a process that cannot be seen from here';
}
