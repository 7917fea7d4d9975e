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

/** Each reading is made once, when it is first needed, and never rejects. */
export interface Readings extends NodeReadings {
  /** Of the API and of ingress. */
  readonly vips: () => Promise<readonly string[]>;
  readonly apiVips: () => Promise<readonly string[]>;
  readonly haproxySupervisor: () => Promise<SupervisorReading>;
  readonly keepalivedSupervisor: () => Promise<SupervisorReading>;
  readonly kubeconfig: () => Promise<KubeconfigReading>;
  readonly cluster: () => Promise<ClusterReading>;
  /** `/readyz` of this node's own API server, asked without credentials. */
  readonly localApi: () => Promise<LocalApiReading>;
}

/** The VIPs that were given, else those that this node has. */
export type LookForVips = (
  settings: DoctorSettings,
  files: HostFiles,
) => Promise<{ readonly api: readonly string[]; readonly ingress: readonly string[] }>;

/** `limits.signal` ends all readings; the checks that wait for one end earlier by themselves. */
export function createReadings(
  settings: DoctorSettings,
  files: HostFiles,
  lookForVips: LookForVips,
  limits: { readonly signal: AbortSignal; readonly answerTimeoutMs: number },
): Readings {
  const processes = once(() => listProcesses(files));
  const bothVips = once(() => lookForVips(settings, files));
  const kubeconfig = once(() => readKubeconfig(settings, files));
  const cluster = once(async () => await lookAtCluster(await kubeconfig(), settings.apiPort, limits));
  const supervisor = (program: 'haproxy' | 'keepalived', socket: string) =>
    once(async () => await lookAtSupervisor({ program, socket, files, processes, ...limits }));
  return {
    isNodeSeen: once(async () => await files.isFolder(settings.manifests)),
    areProcessesSeen: once(async () => (await files.list('/proc')).some((name) => /^\d+$/.test(name))),
    vips: async () => Object.values(await bothVips()).flat(),
    apiVips: async () => (await bothVips()).api,
    interfaces: () => currentInterfaces(),
    routes: once(currentRoutes),
    processes,
    haproxySupervisor: supervisor('haproxy', settings.haproxySocket),
    keepalivedSupervisor: supervisor('keepalived', settings.keepalivedSocket),
    kubeconfig,
    cluster,
    localApi: once(async () => await askReadyz({ host: '127.0.0.1', port: settings.apiPort }, limits)),
    peers: once(async () => await peersOf(settings, files, currentInterfaces(), cluster)),
  };
}

function once<T>(look: () => Promise<T>): () => Promise<T> {
  let found: Promise<T> | undefined;
  return () => {
    found ??= look();
    return found;
  };
}
