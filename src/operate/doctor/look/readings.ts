import type { CommandSpec } from '../../../cli/command-spec.ts';
import type { NodeReadings } from '../../../engine/examine/context.ts';
import type { HostFiles } from '../../../engine/examine/host-files.ts';
import { listProcesses } from '../../../engine/examine/host-processes.ts';
import { lookAtSupervisor, type SupervisorReading } from '../../../engine/examine/supervisor.ts';
import { currentInterfaces, currentRoutes } from '../../../engine/system/network/routes.ts';
import { type ClusterReading, lookAtCluster } from './cluster.ts';
import type { DoctorSettings } from './context.ts';
import { type KubeconfigReading, readKubeconfig } from './kubeconfig.ts';
import { askReadyz, type LocalApiReading } from './local-api.ts';
import { peersOf } from './peers.ts';
import type { Product } from './product.ts';

/** Each reading is made once, when it is first needed, and never rejects. */
export interface Readings extends NodeReadings {
  /** Of the API and of ingress. */
  readonly vips: () => Promise<readonly string[]>;
  readonly apiVips: () => Promise<readonly string[]>;
  readonly kubeconfig: () => Promise<KubeconfigReading>;
  /** The settings of a daemon that hawser does not install, where it runs here. */
  readonly deployed: <Settings>(spec: CommandSpec<Settings>) => Settings | undefined;
  readonly cluster: () => Promise<ClusterReading>;
  /** `/readyz` of this node's own API server, asked without credentials. */
  readonly localApi: () => Promise<LocalApiReading>;
}

type Products = readonly Pick<Product, 'lookForVips' | 'lookForPeers'>[];

/** `limits.signal` ends all readings; the checks that wait for one end earlier by themselves. */
export function createReadings(
  settings: DoctorSettings,
  files: HostFiles,
  products: Products,
  limits: { readonly signal: AbortSignal; readonly answerTimeoutMs: number },
): Readings {
  const processes = once(() => listProcesses(files));
  const bothVips = once(async () => {
    const found = await Promise.all(products.map((each) => each.lookForVips?.(settings, files)));
    return found.find((vips) => vips !== undefined) ?? { api: [], ingress: [] };
  });
  const kubeconfig = once(() => readKubeconfig(settings, files));
  const cluster = once(async () => await lookAtCluster(await kubeconfig(), settings.apiPort, limits));
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
      const look = known ?? lookAtSupervisor({ program, socket, files, processes, ...limits });
      supervisors.set(socket, look);
      return await look;
    },
    kubeconfig,
    // It was read as the spec says.
    deployed: <Settings>(spec: CommandSpec<Settings>) =>
      settings.deployed.find((each) => each.spec.name === spec.name)?.settings as Settings | undefined,
    cluster,
    localApi: once(async () => await askReadyz({ host: '127.0.0.1', port: settings.apiPort }, limits)),
    peers: once(async () => {
      const found = await Promise.all(products.map((each) => each.lookForPeers?.(settings, files)));
      const configured = found.flatMap((each) => each ?? []);
      return await peersOf(settings, configured, currentInterfaces(), cluster);
    }),
  };
}

function once<T>(look: () => Promise<T>): () => Promise<T> {
  let found: Promise<T> | undefined;
  return () => {
    found ??= look();
    return found;
  };
}
