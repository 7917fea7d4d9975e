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
import { printable } from '../../engine/system/text/readable-text.ts';
import type { DesiredInstall, DesiredSettings } from './desired.ts';
import { type Disk, textOn } from './disk.ts';
import type { InstallSettings } from './install-settings.ts';
import { layout } from './layout.ts';
import { manifestContainers } from './manifest-containers.ts';
import { isSupervisor, supervisorPage } from './supervisor-pages.ts';

/** A running host accepts a connection at once; a busy API server needs longer for the TLS handshake. */
const LIMITS = { connectMs: 1_500, handshakeMs: 10_000 };
const NEIGHBOUR_TIMEOUT_MS = 10_000;

/** Whether a VIP is in use on the network, and by whom. */
export type VipProbe =
  | { readonly kind: 'free' }
  /** A server with a certificate of this cluster's CA. */
  | { readonly kind: 'cluster' }
  | { readonly kind: 'in-use'; readonly by: string };

/**
 * Connects to a port of the VIP. A host that refuses the connection also has the VIP, and so does a silent host that answers ARP or ND.
 * `authority` is the PEM of the cluster's CA. Without it, the cluster cannot be recognised.
 */
async function probeVip(vip: string, port: number, authority: string | undefined): Promise<VipProbe> {
  const result = await connectTo(vip, port, authority);
  if (result !== undefined) return result;
  const [holder] = (await findHolders([vip], [], NEIGHBOUR_TIMEOUT_MS))(vip);
  if (holder === undefined) return { kind: 'free' };
  return { kind: 'in-use', by: `a machine with the hardware address ${holder.mac}` };
}

/** Undefined if nothing answered. */
async function connectTo(
  vip: string,
  port: number,
  authority: string | undefined,
): Promise<VipProbe | undefined> {
  // Only the certificate chain is checked, because the names in the certificate cannot be predicted.
  const handshake = await shakeHands({ host: vip, port, authority }, LIMITS);
  if (handshake.kind === 'late') return undefined;
  if (handshake.kind === 'failed') return resultOfError(handshake.error, port);
  if (authority !== undefined && handshake.isTrusted) return { kind: 'cluster' };
  const { issuer } = handshake.certificate;
  const signer = issuer?.CN === undefined ? 'an unknown authority' : `"${printable(String(issuer.CN))}"`;
  return { kind: 'in-use', by: `a TLS server with a certificate of ${signer}` };
}

/** Undefined if the error means that nothing answered. */
function resultOfError(error: Error, port: number): VipProbe | undefined {
  const code = codeOf(error);
  if (code === 'ECONNREFUSED') return { kind: 'in-use', by: `a machine with port ${port} closed` };
  if (code === 'ETIMEDOUT' || code === 'EHOSTUNREACH' || code === 'ENETUNREACH') return undefined;
  if (code === 'EADDRNOTAVAIL' || code === 'EINVAL') return undefined;
  return { kind: 'in-use', by: `a server on port ${port} that does not speak TLS` };
}

/** The port that is probed to find the host with the ingress VIP. */
const INGRESS_PORT = 443;

/** Whether an earlier install on this node configured this VIP. The VIP may be on this node or on another node. */
function isRecorded(disk: Disk, vip: string): boolean {
  return disk.record?.vips.includes(vip) ?? false;
}

/** Probes each VIP once, except those that this node holds or that an earlier install configured. */
export async function probeVips(
  { vips: { all, api, apiPort } }: DesiredSettings,
  disk: Disk,
): Promise<ReadonlyMap<string, VipProbe>> {
  const present = presentAddresses();
  const authority = textOn(disk, layout.clusterAuthority);
  const unknown = all.filter((vip) => !isRecorded(disk, vip) && !present.has(vip));
  const probes = unknown.map(
    async (vip) => [vip, await probeVip(vip, api.includes(vip) ? apiPort : INGRESS_PORT, authority)] as const,
  );
  return new Map(await Promise.all(probes));
}

/** Long enough for a node that has just become the holder. */
const NAME_TIMEOUT_MS = 5_000;
/** The page of templates/haproxy.cfg.ejs that returns the cluster name. */
const CLUSTER_NAME_PATH = '/hawser_cluster_name';

/**
 * Reads the cluster name from the node that holds `vip`. Virtual router ids derive from the name: a joining node with another
 * name would ignore the holder's adverts and hold the VIP as well. `unknown` is the reason if the name cannot be read.
 */
async function readClusterName(vip: string, healthPort: number) {
  const page = { host: vip, port: healthPort };
  const url = `http://${hostPort(page)}${CLUSTER_NAME_PATH}`;
  const answer = await askPage(page, CLUSTER_NAME_PATH, { timeoutMs: NAME_TIMEOUT_MS });
  if (answer.kind === 'silent') return { unknown: `${url} does not answer (${answer.message})` };
  const name = answer.text.trim();
  if (answer.status === 200 && /^[A-Za-z0-9][A-Za-z0-9.-]{0,252}$/.test(name)) return { name };
  return { unknown: `${url} answers ${answer.status}, without a name` };
}

type ClusterNameChoice =
  /** Keep the name in the desired settings. */
  | { readonly kind: 'unchanged' }
  | { readonly kind: 'learned'; readonly name: string }
  | { readonly kind: 'refused'; readonly message: string };

/**
 * Chooses the cluster name, from which a new node derives its virtual router ids. If a cluster answers at the VIP, the name is
 * read from the holder, because a name derived from the VIP would be wrong if the VIP was changed since. Refuses if the
 * name cannot be read and none is given.
 */
export async function chooseClusterName(
  options: InstallSettings,
  { vips: { all, healthPort }, givenName: given }: DesiredSettings,
  disk: Disk,
  probes: ReadonlyMap<string, VipProbe>,
): Promise<ClusterNameChoice> {
  const [vip] = all;
  const probe = probes.get(vip ?? '');
  const isNew = disk.record === undefined && !options.firstNode;
  if (!isNew || vip === undefined || probe === undefined) return { kind: 'unchanged' };
  if (probe.kind === 'free')
    return options.join && given === undefined
      ? refuse(`nothing answers at VIP ${vip}; join once the cluster serves there`)
      : { kind: 'unchanged' };
  // `findObjections` reports a VIP that another host has.
  if (probe.kind === 'in-use' && !options.join) return { kind: 'unchanged' };
  const holder = await readClusterName(vip, healthPort);
  if (holder.name === undefined) return given === undefined ? refuse(holder.unknown) : { kind: 'unchanged' };
  if (given !== undefined && given !== holder.name)
    return {
      kind: 'refused',
      message: `Cannot use cluster name "${given}": the node that holds VIP ${vip} has "${holder.name}", and with different names two nodes would hold the VIP; use --cluster-name ${holder.name}`,
    };
  return { kind: 'learned', name: holder.name };
}

function refuse(reason: string): ClusterNameChoice {
  return {
    kind: 'refused',
    message: `Cannot determine the cluster's name: ${reason}; or use --cluster-name NAME with the clusterName in ${layout.settings} of the other nodes`,
  };
}

/** The port of a supervisor's page on which another process listens, or the same supervisor without answering. */
export interface BusyPage {
  readonly pod: string;
  readonly port: number;
  readonly listener: string;
  /** Whether the listener is this node's supervisor: by its process, or if that is not visible, by the record of an earlier install. */
  readonly isOwn: boolean;
}

/** The findings on this node that can prevent an install. */
export interface NodeFindings {
  /** The ports in use, with their processes. */
  readonly busy: readonly { readonly port: number; readonly owner: string }[];
  readonly pages: readonly BusyPage[];
  /** Why this node's interfaces cannot hold the VIPs. */
  readonly vipProblems: readonly string[];
}

/** Inspects the listening ports, the supervisors' pages and the interfaces of this node. */
export async function inspectNode(desired: DesiredInstall, disk: Disk): Promise<NodeFindings> {
  const { all, problemsOf } = desired.settings.vips;
  const listening = listeningPorts();
  const vipProblems = all.map((vip) => problemsOf(vip, isRecorded(disk, vip)));
  const pages = pagesOf(desired).map(async ({ pod, page }): Promise<readonly BusyPage[]> => {
    const { supervisor, name } = pod;
    const listener = listening.find(({ port }) => port === page.port);
    if (listener === undefined || (await isSupervisor(supervisor, page))) return [];
    const pid = ownerPidOf(listener);
    const isOwn =
      pid === undefined ? disk.record !== undefined : daemonOf(pid, [supervisor.spec.name]) !== undefined;
    return [{ pod: name, port: page.port, listener: ownerText(listener), isOwn }];
  });
  return {
    busy: listening.map((each) => ({ port: each.port, owner: ownerText(each) })),
    pages: (await Promise.all(pages)).flat(),
    vipProblems: (await Promise.all(vipProblems)).flat(),
  };
}

/** The addresses of the supervisors' pages that the kubelet will probe, from the arguments in the manifests. */
function pagesOf({ manifests, pods }: DesiredInstall) {
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

function ownerText(listener: ListeningPort): string {
  return ownerOf(listener) ?? 'a process that is not visible from here';
}
