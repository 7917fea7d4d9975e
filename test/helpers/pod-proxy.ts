import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { sha256Of } from '../../src/engine/config/set.ts';
import type { ProxyStatus } from '../../src/pod-proxy/proxy-status.ts';
import type { StoredObject } from './api-server/object-store.ts';
import { endChild, startLogged } from './child.ts';
import { type Cluster, createCluster } from './cluster.ts';
import { batch } from './net-namespace.ts';
import { type DownstreamPod, downstreamPod } from './pod-objects.ts';
import { hawser } from './supervisor-build.ts';
import {
  type LogLine,
  readLogEvents,
  type SupervisorProcess,
  startSupervisor,
} from './supervisor-process.ts';
import { waitFor } from './wait-for.ts';

/** Addresses of downstream pods in the cluster's namespace. */
const podAddresses = ['10.77.0.21', '10.77.0.22', '10.77.0.23'] as const;

/** Pods of the group `web`, one at each of these addresses. */
export const webPods = podAddresses.map((ip, index) => ({ name: `web-${index}`, app: 'web', ip }));

/** Serves that group. */
export const webTemplate = `
defaults
  timeout connect 1s
  timeout client 10s
  timeout server 10s

frontend web
  bind *:8000
  default_backend web

backend web
  {%- for ip in hosts.web %}
  server web-{{loop.index}} {{ip}}:8080
  {%- endfor %}
`;

export interface PodProxy {
  readonly name: string;
  readonly supervisor: () => SupervisorProcess;
  /** Together with its HAProxy. */
  readonly stopSupervisor: () => Promise<void>;
  readonly startSupervisor: () => Promise<void>;
  readonly configText: () => string;
  readonly events: () => readonly LogLine[];
  readonly supervisorEvents: () => readonly LogLine[];
  readonly said: (event: string, skip?: number) => Promise<LogLine>;
  readonly status: () => Promise<ProxyStatus>;
  readonly metrics: () => Promise<string>;
  /** Resolves once HAProxy serves a configuration that names exactly these servers, in this order. */
  readonly serves: (...servers: readonly string[]) => Promise<void>;
}

export interface PodProxies extends AsyncDisposable {
  readonly cluster: Cluster;
  /** Sets what the API holds: the proxies' own pods with these annotations, the downstream pods, and others. */
  readonly show: (world: {
    readonly annotations: Readonly<Record<string, string>>;
    readonly pods: readonly DownstreamPod[];
    readonly others?: readonly StoredObject[];
  }) => void;
  /** Starts the proxy and its supervisor; they end with the world. */
  readonly start: (name: string, listen: number) => Promise<PodProxy>;
  /** Objects of a kind in the namespace, as listed by the API. */
  readonly listed: (
    plural: string,
    groupVersion?: string,
  ) => Promise<readonly { readonly [field: string]: unknown }[]>;
}

/** Pod proxies of one Deployment, "haproxy" in the namespace "default". HAProxy lets them share a port. */
export async function createPodProxies(names: readonly string[]): Promise<PodProxies> {
  await using stack = new AsyncDisposableStack();
  const cluster = stack.use(await createCluster(1));
  const [node] = cluster.nodes;
  if (node === undefined) throw new Error('the cluster has no node');
  await batch(
    cluster.namespace,
    podAddresses.map((address) => `address add ${address}/24 dev node0`),
  );
  cluster.setObjects([]);
  await cluster.startServer(node);
  const api = `https://${node.address}:6443`;
  const kubeconfig = cluster.kubeconfig(api);
  const owned = stack.move();
  return {
    cluster,
    show: ({ annotations, pods, others = [] }) => {
      const own = names.map((name) => withAnnotations(downstreamPod({ name, app: 'haproxy' }), annotations));
      cluster.setObjects([...own, ...pods.map(downstreamPod), ...others]);
    },
    start: async (name, listen) => {
      const proxy = await start(cluster, { name, listen, kubeconfig });
      owned.defer(() => proxy.stop());
      return proxy;
    },
    listed: async (plural, groupVersion = 'api/v1') =>
      JSON.parse(await cluster.get(`${api}/${groupVersion}/namespaces/default/${plural}`)).items ?? [],
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

function withAnnotations(pod: StoredObject, annotations: Readonly<Record<string, string>>): StoredObject {
  const before = pod.metadata['annotations'] as object;
  return { ...pod, metadata: { ...pod.metadata, annotations: { ...before, ...annotations } } };
}

async function start(
  { dir: parent, namespace, get }: Cluster,
  {
    name,
    listen,
    kubeconfig,
  }: { readonly name: string; readonly listen: number; readonly kubeconfig: string },
): Promise<PodProxy & { readonly stop: () => Promise<void> }> {
  const dir = join(parent, name);
  mkdirSync(dir);
  const at = (file: string): string => join(dir, file);
  const socket = at('master.sock');
  const config = at('haproxy.cfg');
  const logPath = at('proxy.log');
  const shared = ['--socket', socket, '--stats-socket', at('haproxy.sock'), '--config', config];
  const own = ['--pid-file', at('haproxy.pid'), '--state-file', at('server-state'), '--listen', 'off'];
  const limits = ['--force-delete-timeout', '60s', '--drain-timeout', '1s'];
  const startOne = async (): Promise<SupervisorProcess> => {
    const where = { socket, logPath: at('supervisor.log') };
    const started = startSupervisor(namespace.prefix, [...shared, ...own, ...limits], where);
    await waitFor('the supervisor to answer', async () => existsSync(socket) && (await started.status()).ok);
    return started;
  };
  let supervisor = await startOne();
  const page = `127.0.0.1:${listen}`;
  const interval = ['--reload-interval', '200ms', '--listen', page];
  const pod = ['--pod', name, '--namespace', 'default', '--kubeconfig', kubeconfig];
  const child = startLogged([...namespace.prefix, hawser, 'proxy', ...pod, ...interval, ...shared], logPath);
  const events = (): readonly LogLine[] => readLogEvents(logPath);
  const lastLines = (): string =>
    [events(), readLogEvents(at('supervisor.log'))]
      .map((lines) =>
        lines
          .slice(-5)
          .map((line) => JSON.stringify(line))
          .join('\n'),
      )
      .join('\n');
  const configText = (): string => (existsSync(config) ? readFileSync(config, 'utf8') : '');
  const status = async (): Promise<ProxyStatus> => JSON.parse(await get(`http://${page}/status`));
  return {
    name,
    configText,
    events,
    status,
    supervisor: () => supervisor,
    supervisorEvents: () => readLogEvents(at('supervisor.log')),
    stopSupervisor: async () => {
      supervisor.kill('SIGTERM');
      await supervisor.ended;
    },
    startSupervisor: async () => {
      supervisor = await startOne();
    },
    said: (event, skip = 0) =>
      waitFor(`${name} to say "${event}"`, () => events().filter((line) => line.event === event)[skip]),
    metrics: () => get(`http://${page}/metrics`),
    serves: async (...servers) => {
      await waitFor(`${name} to serve ${servers}`, async () => {
        const text = configText();
        const named = [...text.matchAll(/^ *server (\S+) /gm)].map(([, server]) => server);
        const { current } = await supervisor.status();
        const { lastChange } = await status();
        if (
          named.join() === servers.join() &&
          current?.configSha256 === sha256Of(text) &&
          /^(unchanged|reloaded)$/.test(lastChange?.result ?? '')
        )
          return true;
        throw new Error(`it serves ${named}, ${JSON.stringify({ current, lastChange })}, ${lastLines()}`);
      });
    },
    stop: async () => {
      await endChild(child);
      supervisor.kill('SIGTERM');
      await supervisor.ended;
    },
  };
}
