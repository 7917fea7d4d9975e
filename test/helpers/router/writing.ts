import { settingsTyped } from '../../../src/cli/command-line.ts';
import { commandSpec } from '../../../src/cli/command-spec.ts';
import type { Resource } from '../../../src/engine/kube/resource.ts';
import { followResources } from '../../../src/engine/kube/resource-view.ts';
import type { LogEvent } from '../../../src/engine/system/log.ts';
import { decide } from '../../../src/router/decide/decide.ts';
import { routerResources } from '../../../src/router/follow/router-resources.ts';
import { routerFlags, statusFlags } from '../../../src/router/settings/router-settings.ts';
import { keepStatuses } from '../../../src/router/status/keep-statuses.ts';
import { addressesOf } from '../../../src/router/status/published-addresses.ts';
import type { StatusCount, StatusTiming } from '../../../src/router/status/status-writer.ts';
import type { ApiServer, ApiServerSettings } from '../api-server/api-server.ts';
import type { ObjectStore, StoredObject } from '../api-server/object-store.ts';
import { route as storedRoute } from '../api-server/objects.ts';
import { createTestCluster, openTestSession, type TestCluster } from '../api-server/observing.ts';

/** Long enough that a busy machine loses no lease, with short waits before retries. */
export const patient: Partial<StatusTiming> = {
  lease: { durationMs: 60_000, renewDeadlineMs: 30_000, retryMs: 100 },
  requestTimeoutMs: 30_000,
  retry: { firstMs: 100, longestMs: 500 },
  outageRetry: { firstMs: 100, longestMs: 500 },
};

const flags = { ...routerFlags, ...statusFlags };
const spec = commandSpec({ name: 'router', summary: '', flags, examples: [], notes: [] });

export interface Replica {
  readonly events: readonly LogEvent[];
  readonly counts: Readonly<Record<StatusCount, number>>;
  /** Releases the lease. */
  readonly stop: () => Promise<void>;
  /** Breaks its connections for good, like a node that is gone. */
  readonly lose: () => void;
}

/** Only this part of a router: it watches Routes and Ingresses, decides on each change, and writes statuses. */
function startReplica(
  cluster: TestCluster,
  env: Readonly<Record<string, string>> = {},
  timing: Partial<StatusTiming> = patient,
): Replica {
  const { close, ...reached } = openTestSession(cluster);
  let isLost = false;
  const session: typeof reached = {
    ...reached,
    firstAnswer: async (ask, signal) =>
      isLost
        ? { kind: 'failure', status: undefined, message: 'lost' }
        : await reached.firstAnswer(ask, signal),
  };
  const stop = new AbortController();
  const settings = settingsTyped(spec, [], { ...env }, () => undefined);
  const events: LogEvent[] = [];
  const counts: Record<StatusCount, number> = { written: 0, failed: 0, contended: 0 };
  const report = (event: LogEvent) => void events.push(event);
  const statuses = keepStatuses(
    settings,
    {
      session,
      report,
      timing,
      count: (what) => {
        counts[what] += 1;
      },
    },
    stop.signal,
  );
  const resources = routerResources({ ...settings, watchEndpoints: false }, () => undefined);
  const others = { endpoints: [], services: [], namespaces: [], secrets: [] };
  let soon: NodeJS.Timeout | undefined;
  /** Once for a burst of changes. */
  const hear = () => {
    soon ??= setTimeout(decideNow, 10);
  };
  const decideNow = () => {
    soon = undefined;
    const found = { routes: routes.objects() ?? [], ingresses: ingresses?.objects() ?? [] };
    statuses.decided(decide({ ...found, ...others }, settings), new Set());
  };
  const follow = <T>(resource: Resource<T>, see: (object: unknown) => void) => {
    const project = (object: unknown) => {
      see(object);
      return resource.project(object);
    };
    return followResources(
      [{ ...resource, project }],
      { session, report, timing: { requestTimeoutMs: timing.requestTimeoutMs ?? 30_000, backoffCapMs: 200 } },
      ({ kind }) => {
        if (kind === 'objects') hear();
      },
      stop.signal,
    );
  };
  const routes = follow(resources.routes, statuses.observeRoute);
  const ingresses =
    settings.ingressClass === undefined ? undefined : follow(resources.ingresses, statuses.observeIngress);
  return {
    events,
    counts,
    stop: async () => {
      stop.abort();
      clearTimeout(soon);
      await Promise.all([routes.ended, ingresses?.ended, statuses.ended]);
      close();
    },
    lose: () => {
      isLost = true;
      close();
    },
  };
}

/** An API and the replicas that were started. */
export interface WritingWorld {
  readonly store: ObjectStore;
  readonly server: ApiServer;
  /** Each PATCH of a status that reached the API. */
  readonly writes: readonly string[];
  readonly answerWith: (instead: NonNullable<ApiServerSettings['instead']>) => void;
  readonly start: (env?: Readonly<Record<string, string>>, timing?: Partial<StatusTiming>) => Replica;
  /** Creates Routes NAMESPACE-0 and so on. */
  readonly create: (count: number, namespace?: string) => void;
  readonly entries: (namespace: string, name: string) => readonly Entry[];
  readonly isAdmitted: (namespace: string, name: string) => boolean;
  readonly allAdmitted: (count: number, namespace?: string) => boolean;
  /** The addresses in the status of an Ingress. */
  readonly addresses: (namespace: string, name: string) => readonly string[];
  readonly remove: () => Promise<void>;
}

export async function createWritingWorld(): Promise<WritingWorld> {
  const cluster = createTestCluster();
  const replicas: Replica[] = [];
  const writes: string[] = [];
  let instead: NonNullable<ApiServerSettings['instead']> = () => undefined;
  const server = await cluster.start({
    instead: (method, path) => {
      if (method === 'PATCH' && /\/status(\?|$)/.test(path)) writes.push(path);
      return instead(method, path);
    },
  });
  cluster.writeKubeconfig(server.url);
  const entries = (namespace: string, name: string): readonly Entry[] => {
    const status = cluster.store.get('Route', name, namespace)?.['status'] as
      | { ingress?: Entry[] }
      | undefined;
    return status?.ingress ?? [];
  };
  const isAdmitted = (namespace: string, name: string) =>
    entries(namespace, name)[0]?.conditions[0]?.status === 'True';
  return {
    store: cluster.store,
    server,
    writes,
    entries,
    isAdmitted,
    answerWith: (answer) => {
      instead = answer;
    },
    start: (env, timing) => {
      const replica = startReplica(cluster, env, timing);
      replicas.push(replica);
      return replica;
    },
    create: (count, namespace = 'shop') => {
      for (let index = 0; index < count; index += 1)
        cluster.store.set(bareRoute(namespace, `${namespace}-${index}`));
    },
    allAdmitted: (count, namespace = 'shop') =>
      Array.from({ length: count }).every((_, index) => isAdmitted(namespace, `${namespace}-${index}`)),
    addresses: (namespace, name) => addressesOf(cluster.store.get('Ingress', name, namespace)),
    remove: async () => {
      await Promise.all(replicas.map(({ stop }) => stop()));
      await cluster.remove();
    },
  };
}

/** A Route without a status. */
export function bareRoute(namespace: string, name: string, host = `${name}.example.com`): StoredObject {
  const { status: _, ...bare } = storedRoute(namespace, name, host);
  return bare;
}

/** An Ingress of the class `hawser` with one path, and no status. */
export function bareIngress(namespace: string, name: string, className = 'hawser'): StoredObject {
  const backend = { service: { name, port: { number: 80 } } };
  return {
    kind: 'Ingress',
    apiVersion: 'networking.k8s.io/v1',
    metadata: { name, namespace, uid: `uid-${namespace}-${name}`, creationTimestamp: '2026-01-01T00:00:00Z' },
    spec: {
      ingressClassName: className,
      rules: [{ host: `${name}.test`, http: { paths: [{ path: '/', pathType: 'Prefix', backend }] } }],
    },
  };
}

interface Entry {
  readonly host: string;
  readonly routerName: string;
  readonly conditions: readonly {
    readonly status: string;
    readonly reason?: string;
    readonly message?: string;
  }[];
}
