import type { CommandSpec } from '../../cli/command-spec.ts';
import { readSupervisor, type SupervisorReading } from '../../engine/examine/ask-program.ts';
import type { NodeContext, NodeReadings, PeersReading } from '../../engine/examine/context.ts';
import type { HostFiles } from '../../engine/examine/host-files.ts';
import { listProcesses } from '../../engine/examine/host-processes.ts';
import type { Peer } from '../../engine/examine/peer-health.ts';
import { type ApiFailure, getJson } from '../../engine/kube/api-request.ts';
import { openApiSession } from '../../engine/kube/api-session.ts';
import { controlPlaneNodes, endpoints } from '../../engine/kube/control-plane/server-objects.ts';
import { parseServers } from '../../engine/kube/control-plane/static-servers.ts';
import { listPage } from '../../engine/kube/kube-objects.ts';
import { type LoadedKubeconfig, openKubeconfig } from '../../engine/kube/kubeconfig.ts';
import { queryPath } from '../../engine/kube/resource.ts';
import { codeOf, messageOf } from '../../engine/system/errors.ts';
import { ask, unverified } from '../../engine/system/network/ask.ts';
import { addressesOf, currentInterfaces, currentRoutes } from '../../engine/system/network/routes.ts';
import { layout } from '../install/layout.ts';
import type { DoctorSettings } from './context.ts';
import type { Product } from './product.ts';

/** Readings that several checks share. Each is read once, when it is first needed, and never rejects. */
export interface Readings extends NodeReadings {
  /** The VIPs of the API and of ingress. */
  readonly vips: () => Promise<readonly string[]>;
  readonly apiVips: () => Promise<readonly string[]>;
  readonly kubeconfig: () => Promise<KubeconfigReading>;
  /** The settings of a running daemon that hawser does not install; undefined if it does not run here. */
  readonly deployed: <Settings>(spec: CommandSpec<Settings>) => Settings | undefined;
  readonly cluster: () => Promise<ClusterReading>;
}

type Limits = Pick<NodeContext, 'signal' | 'answerTimeoutMs'>;

type Products = readonly Pick<Product, 'findVips' | 'findPeers'>[];

/** `limits.signal` aborts all readings. Checks that wait for a reading have their own, earlier time limit. */
export function createReadings(
  settings: DoctorSettings,
  files: HostFiles,
  products: Products,
  limits: Limits,
): Readings {
  const processes = once(() => listProcesses(files));
  const bothVips = once(async () => {
    const found = await Promise.all(products.map((each) => each.findVips?.(settings, files)));
    return found.find((vips) => vips !== undefined) ?? { api: [], ingress: [] };
  });
  const kubeconfig = once(() => readKubeconfig(settings, files));
  const cluster = once(async () => await listCluster(await kubeconfig(), settings, limits));
  const supervisors = new Map<string, Promise<SupervisorReading>>();
  return {
    isNodeSeen: once(async () => await files.isFolder(settings.manifests)),
    areProcessesSeen: once(async () => (await files.list('/proc')).some((name) => /^\d+$/.test(name))),
    vips: async () => Object.values(await bothVips()).flat(),
    apiVips: async () => (await bothVips()).api,
    interfaces: () => currentInterfaces(),
    routes: once(currentRoutes),
    processes,
    supervisor: async (program, socket) => {
      const known = supervisors.get(socket);
      const reading = known ?? readSupervisor({ program, socket, files, processes, ...limits });
      supervisors.set(socket, reading);
      return await reading;
    },
    kubeconfig,
    // The settings were parsed with this spec.
    deployed: <Settings>(spec: CommandSpec<Settings>) =>
      settings.deployed.find((each) => each.spec.name === spec.name)?.settings as Settings | undefined,
    cluster,
    peers: once(async () => {
      const found = await Promise.all(products.map((each) => each.findPeers?.(settings, files)));
      const configured = found.flatMap((each) => each ?? []);
      return await peersOf(settings, configured, cluster);
    }),
  };
}

function once<T>(read: () => Promise<T>): () => Promise<T> {
  let found: Promise<T> | undefined;
  return () => {
    found ??= read();
    return found;
  };
}

interface ListedNode {
  readonly name: string;
  readonly addresses: readonly string[];
}

export type ClusterReading =
  /** The control-plane nodes, for a worker with `--source endpoints` the endpoints, and the API server that listed them. */
  | { readonly kind: 'listed'; readonly nodes: readonly ListedNode[]; readonly from: string }
  | { readonly kind: 'refused'; readonly failure: ApiFailure; readonly what: 'nodes' | 'endpoints' }
  | { readonly kind: 'not-asked'; readonly reason: string };

const MAX_PAGE_BYTES = 4_000_000;

/** Lists the API servers as the monitors do with this `source`. Reads at most one page of each list. */
async function listCluster(
  reading: KubeconfigReading,
  { source, worker, apiPort }: DoctorSettings,
  { signal, answerTimeoutMs }: Limits,
): Promise<ClusterReading> {
  if (reading.kind === 'none') return { kind: 'not-asked', reason: 'no kubeconfig was given' };
  if (reading.kind === 'unusable') return { kind: 'not-asked', reason: reading.message };
  const { loaded } = reading;
  const kubeconfig = { load: async () => loaded };
  const done = new AbortController();
  const session = openApiSession({ kubeconfig, apiPort, fallbacks: [] }, done.signal);
  const slices = source === 'endpoints' ? endpoints.resources : [];
  // A worker has no VIP, for which the nodes are listed whatever the source.
  const listed = worker && slices.length > 0 ? slices : controlPlaneNodes(apiPort).resources;
  const list = async (resource: (typeof listed)[number]) => ({
    resource,
    reply: await session.firstAnswer(
      async (target) =>
        await getJson(target, queryPath(resource, { limit: '50' }), {
          signal,
          timeoutMs: answerTimeoutMs,
          maxBytes: { MAX_PAGE_BYTES },
        }),
      signal,
    ),
  });
  try {
    const nodes = new Map<string, ListedNode>();
    let from = '';
    for (const { reply, resource } of await Promise.all([...new Set([...slices, ...listed])].map(list))) {
      const what = slices.includes(resource) ? 'endpoints' : 'nodes';
      if (reply.kind === 'failure') return { kind: 'refused', failure: reply, what };
      if (!listed.includes(resource)) continue;
      from = reply.target.base.url;
      const items = listPage.safeParse(reply.answer.value).data?.items ?? [];
      for (const node of items.flatMap((item) => resource.project(item)?.candidates ?? []))
        nodes.set(node.name, node);
    }
    return { kind: 'listed', nodes: [...nodes.values()], from };
  } finally {
    done.abort();
  }
}

export type KubeconfigReading =
  | { readonly kind: 'loaded'; readonly path: string; readonly loaded: LoadedKubeconfig }
  | { readonly kind: 'none' }
  | {
      readonly kind: 'unusable';
      readonly path: string;
      readonly message: string;
      readonly cause: 'missing' | 'forbidden' | 'broken';
    };

/** The default kubeconfigs: hawser's own, then the kubelet's in the paths of kubeadm and other distributions. */
const defaultKubeconfigs = [layout.kubeconfig, '/etc/kubernetes/kubelet.conf', '/var/lib/kubelet/kubeconfig'];

async function readKubeconfig(settings: DoctorSettings, files: HostFiles): Promise<KubeconfigReading> {
  const paths = settings.kubeconfig === undefined ? defaultKubeconfigs : [settings.kubeconfig];
  for (const path of paths) {
    const file = openKubeconfig(await files.locate(path), () => undefined);
    try {
      const loaded = await file.load();
      await locateCredentials(loaded, files);
      return { kind: 'loaded', path, loaded };
    } catch (error) {
      const cause = CAUSES[codeOf(error) ?? ''] ?? 'broken';
      if (settings.kubeconfig === undefined && cause === 'missing') continue;
      return { kind: 'unusable', path, message: messageOf(error), cause };
    }
  }
  return { kind: 'none' };
}

const CAUSES: Readonly<Record<string, 'missing' | 'forbidden'>> = {
  ENOENT: 'missing',
  ENOTDIR: 'missing',
  EACCES: 'forbidden',
};

/** Translates the paths of certificates and tokens in a kubeconfig, which are paths on the node and may be links. */
async function locateCredentials({ config }: LoadedKubeconfig, files: HostFiles): Promise<void> {
  const root = files.at('/').replace(/\/$/, '');
  const here = async (path: string): Promise<string> =>
    await files.locate(root !== '' && path.startsWith(`${root}/`) ? path.slice(root.length) : path);
  const user = config.getCurrentUser();
  const cluster = config.getCurrentCluster();
  if (user?.certFile) user.certFile = await here(user.certFile);
  if (user?.keyFile) user.keyFile = await here(user.keyFile);
  const token = user?.authProvider?.config;
  if (token?.tokenFile) token.tokenFile = await here(token.tokenFile);
  if (cluster?.caFile) cluster.caFile = await here(cluster.caFile);
}

export type LocalApiReading =
  /** `skewMs`: how far the server's clock is ahead of this node's; undefined without a Date header. */
  | { readonly kind: 'answered'; readonly status: number; readonly skewMs: number | undefined }
  | { readonly kind: 'closed' }
  | { readonly kind: 'failed'; readonly message: string };

/** Requests `/readyz` as HAProxy's health check does: without credentials and without verifying the certificate. Never rejects. */
export async function askReadyz(
  { host, port }: { readonly host: string; readonly port: number },
  { signal, answerTimeoutMs }: Limits,
): Promise<LocalApiReading> {
  const question = { host, port, path: '/readyz', tls: unverified };
  const answer = await ask(question, { timeoutMs: answerTimeoutMs, signal });
  if (answer.kind === 'silent')
    return codeOf(answer.error) === 'ECONNREFUSED'
      ? { kind: 'closed' }
      : { kind: 'failed', message: answer.reason };
  const date = Date.parse(answer.headers.date ?? '');
  const skewMs = Number.isNaN(date) ? undefined : date - Date.now();
  return { kind: 'answered', status: answer.status, skewMs };
}

/** The other nodes, from `--servers`, else from a product's configuration, else from the API. Omits this node's own addresses. */
async function peersOf(
  settings: DoctorSettings,
  configured: readonly { readonly peers: readonly Peer[]; readonly from: string }[],
  cluster: () => Promise<ClusterReading>,
): Promise<PeersReading> {
  const own = new Set(addressesOf(currentInterfaces()));
  const others = (peers: readonly Peer[]) => peers.filter(({ address }) => !own.has(address));
  if (settings.servers !== undefined)
    try {
      const peers = others(parseServers(settings.servers, settings.apiPort));
      return { kind: 'known', peers, from: '--servers' };
    } catch (error) {
      return { kind: 'unknown', reason: messageOf(error) };
    }
  for (const { peers, from } of configured)
    if (others(peers).length > 0) return { kind: 'known', peers: others(peers), from };
  const reading = await cluster();
  if (reading.kind === 'not-asked') return { kind: 'unknown', reason: reading.reason };
  if (reading.kind === 'refused') return { kind: 'unknown', reason: reading.failure.message };
  const listed = reading.nodes.flatMap(({ name, addresses }) =>
    addresses.map((address) => ({ name, address })),
  );
  return { kind: 'known', peers: others(listed), from: reading.from };
}
