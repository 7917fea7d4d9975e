import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ApiSession, openApiSession } from '../../../src/engine/kube/api-session.ts';
import {
  type LookupSettings,
  type Observation,
  openSource,
  type ServerReader,
} from '../../../src/engine/kube/control-plane/source.ts';
import { openKubeconfig } from '../../../src/engine/kube/kubeconfig.ts';
import type { ListWatchTiming } from '../../../src/engine/kube/timing.ts';
import type { Log, LogEvent } from '../../../src/engine/system/log.ts';
import { type Authority, createAuthority, type IssuedCertificate } from '../certificates.ts';
import { waitFor } from '../wait-for.ts';
import { type ApiServer, type ApiServerSettings, startApiServer } from './api-server.ts';
import { createObjectStore, type ObjectStore } from './object-store.ts';

/** A cluster of stand-ins with a shared store and certificates like kubeadm's: no `localhost`, no node address. */
export interface TestCluster {
  readonly dir: string;
  readonly authority: Authority;
  readonly store: ObjectStore;
  readonly client: IssuedCertificate;
  readonly kubeconfigPath: string;
  start(settings?: Partial<ApiServerSettings>): Promise<ApiServer>;
  writeKubeconfig(server: string, user?: string): void;
  remove(): Promise<void>;
}

export function createTestCluster(): TestCluster {
  const dir = mkdtempSync(join(tmpdir(), 'hawser-sources-'));
  const authority = createAuthority(join(dir, 'pki'));
  const store = createObjectStore();
  const client = authority.issue({ commonName: 'monitor' });
  const servers: ApiServer[] = [];
  const kubeconfigPath = join(dir, 'kubeconfig');
  return {
    dir,
    authority,
    store,
    client,
    kubeconfigPath,
    start: async (settings = {}) => {
      const names = { dnsNames: ['kubernetes', 'kubernetes.default.svc'], addresses: ['127.0.0.1'] };
      const { cert, key } = authority.issue({ commonName: 'kube-apiserver', ...names });
      const server = await startApiServer({ store, cert, key, ca: authority.cert, ...settings });
      servers.push(server);
      return server;
    },
    writeKubeconfig: (server, user = certificateUser(client)) => {
      const ca = Buffer.from(authority.cert).toString('base64');
      writeFileSync(kubeconfigPath, kubeconfig(server, ca, user));
    },
    remove: async () => {
      await Promise.all(servers.map((server) => server.stop()));
      rmSync(dir, { recursive: true });
    },
  };
}

/** A separate session with the servers of `cluster`; the test closes it. */
export function openTestSession(
  cluster: TestCluster,
  others: readonly ApiServer[] = [],
): ApiSession & { readonly close: () => void } {
  const kubeconfig = openKubeconfig(cluster.kubeconfigPath, () => undefined);
  const fallbacks = others.map(({ port }) => `127.0.0.1:${port}`);
  const stop = new AbortController();
  return { ...openApiSession({ kubeconfig, apiPort: 1, fallbacks }, stop.signal), close: () => stop.abort() };
}

export function certificateUser(client: { readonly certFile: string; readonly keyFile: string }): string {
  return `{client-certificate: ${client.certFile}, client-key: ${client.keyFile}}`;
}

/** `user` is the user of a kubeconfig as one line of YAML. */
export function kubeconfig(server: string, ca: string, user: string): string {
  return `apiVersion: v1
kind: Config
clusters: [{name: c, cluster: {server: "${server}", certificate-authority-data: ${ca}}}]
users: [{name: u, user: ${user}}]
contexts: [{name: x, context: {cluster: c, user: u}}]
current-context: x
`;
}

interface TestSettings {
  readonly apiPort?: number;
  readonly checkInterval?: number;
  readonly fallbacks?: readonly string[];
  /** One reader for all of them. */
  readonly vips?: readonly string[];
  readonly report?: Log;
  readonly timing?: Partial<ListWatchTiming>;
}

/** The nodes of `cluster` as seen by a monitor on 10.0.0.0/24 with the VIP 10.0.0.100. */
export function watchNodes(cluster: TestCluster, settings: TestSettings = {}): Watching {
  return watchCluster('nodes', cluster, settings);
}

export function watchCluster(
  source: LookupSettings['source'],
  cluster: TestCluster,
  settings: TestSettings = {},
): Watching {
  const { vips = ['10.0.0.100'] } = settings;
  const observations: Observation[] = [];
  const { events, stop } = follow(source, cluster, settings, [
    { vips, observe: (observation) => observations.push(observation) },
  ]);
  return watching(observations, events, stop);
}

/** One source with a reader for each of `vips`, all stopped together. */
export function watchNodesFor(
  vips: readonly string[],
  cluster: TestCluster,
  settings: TestSettings = {},
): readonly Watching[] {
  const observed = vips.map((): Observation[] => []);
  const readers = vips.map((vip, index) => ({
    vips: [vip],
    observe: (observation: Observation) => observed[index]?.push(observation),
  }));
  const { events, stop } = follow('nodes', cluster, settings, readers);
  return observed.map((observations) => watching(observations, events, stop));
}

/** Reads a source in the background until `stop`. */
function follow(
  source: LookupSettings['source'],
  cluster: TestCluster,
  settings: TestSettings,
  readers: readonly ServerReader[],
): { readonly events: readonly LogEvent[]; readonly stop: () => Promise<void> } {
  const { apiPort = 1, checkInterval = 60_000, fallbacks = [] } = settings;
  const controller = new AbortController();
  const events: LogEvent[] = [];
  const { report = (event: LogEvent) => void events.push(event) } = settings;
  const kubeconfig = openKubeconfig(cluster.kubeconfigPath, report);
  const session = openApiSession({ kubeconfig, apiPort, fallbacks }, controller.signal);
  const timing = { ...testTiming, ...settings.timing };
  const subnets = () => ['10.0.0.0/24'];
  const run = openSource({ source, apiPort, checkInterval }, { session, report, subnets, timing });
  const done = run(readers, controller.signal);
  const stop = async () => {
    controller.abort();
    await done;
  };
  return { events, stop };
}

/**
 * Quick enough for tests, with a backoff that is still longer than normal pauses. A busy machine is in time, and silence means
 * nothing: the stand-in sends bookmarks as rarely as a real server, and a test of something else may outlast a short limit.
 */
export const testTiming: Partial<ListWatchTiming> = {
  requestTimeoutMs: 10_000,
  watchIdleMs: 60_000,
  healthyWatchMs: 300,
  backoffFirstMs: 20,
  backoffCapMs: 200,
  tooLargePauseMs: 200,
};

export interface Watching {
  readonly observations: readonly Observation[];
  readonly events: readonly LogEvent[];
  /** Names and addresses of the newest list: `cp-1=10.0.0.1`. */
  latest(via?: 'watch' | 'poll'): readonly string[] | undefined;
  sees(servers: readonly string[], via?: 'watch' | 'poll'): Promise<void>;
  /** Events from now on: a busy machine may have caused some of the earlier ones. */
  since(): Since;
  stop(): Promise<void>;
}

export interface Since {
  /** The first such event, with such an error. */
  reports(event: string, error?: RegExp): Promise<LogEvent>;
  reported(event: string): readonly LogEvent[];
}

function watching(
  observations: readonly Observation[],
  events: readonly LogEvent[],
  stop: () => Promise<void>,
): Watching {
  const latest = (via?: 'watch' | 'poll') => {
    const lists = observations.flatMap((item) => (item.kind === 'servers' ? [item] : []));
    const list = lists.filter((item) => via === undefined || item.via === via).at(-1);
    return list?.servers.map((server) => `${server.name}=${server.address}`);
  };
  return {
    observations,
    events,
    latest,
    since: () => since(events, events.length),
    sees: async (servers, via) => {
      await waitFor(`the list ${servers} instead of ${latest(via)}; ${JSON.stringify(events)}`, () => {
        return JSON.stringify(latest(via)) === JSON.stringify(servers);
      });
    },
    stop,
  };
}

function since(events: readonly LogEvent[], marked: number): Since {
  const reported = (event: string) => events.slice(marked).filter((item) => item.event === event);
  return {
    reported,
    reports: (event, error = /(?:)/) =>
      waitFor(`the event ${event} with ${error}; ${JSON.stringify(events)}`, () =>
        reported(event).find((item) => error.test(String(item['error']))),
      ),
  };
}
