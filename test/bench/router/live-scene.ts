import type { ChildProcess } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod/mini';
import { request } from '../../../src/engine/control/request.ts';
import { startApiServer } from '../../helpers/api-server/api-server.ts';
import {
  createObjectStore,
  type ObjectStore,
  type StoredObject,
} from '../../helpers/api-server/object-store.ts';
import { createAuthority } from '../../helpers/certificates.ts';
import { endChild, startLogged } from '../../helpers/child.ts';
import { writeKubeconfig } from '../../helpers/cluster.ts';
import { hawser } from '../../helpers/supervisor-build.ts';

export const ports = { httpPort: 8_000, httpsPort: 8_443 };

/** The shortest interval. Changes are measured one at a time, so none waits for it. */
const RELOAD_INTERVAL_MS = 1_000;

/** A running router with its supervisor, and the API with its Routes. */
export interface LiveScene extends AsyncDisposable {
  readonly store: ObjectStore;
  readonly router: () => ChildProcess;
  readonly supervisor: ChildProcess;
  /** The serving generation and the pids of its master and workers. */
  readonly serving: () => Promise<{
    readonly generation: number;
    readonly master: number;
    readonly workers: readonly number[];
  }>;
  readonly restart: (reloadIntervalMs: number) => Promise<void>;
}

const statusSchema = z.looseObject({
  current: z.looseObject({ generation: z.number(), pid: z.number(), workers: z.array(z.number()) }),
});

interface SceneOptions {
  /** Interval of HAProxy's server checks. The default keeps them out of the measurement. */
  readonly checkInterval?: string;
  readonly reloadIntervalMs?: number;
  readonly forceDeleteTimeout?: string;
  /** Further settings of the router. */
  readonly env?: NodeJS.ProcessEnv;
  /** Both programs write CPU profiles of their whole run into this folder. */
  readonly profiles?: string;
}

export async function startLiveScene(
  objects: Iterable<StoredObject>,
  dir: string,
  {
    checkInterval = '20d',
    reloadIntervalMs: firstIntervalMs = RELOAD_INTERVAL_MS,
    forceDeleteTimeout = '10s',
    env: more = {},
    profiles,
  }: SceneOptions = {},
): Promise<LiveScene> {
  await using stack = new AsyncDisposableStack();
  const store = createObjectStore();
  for (const object of objects) store.set(object);
  const authority = createAuthority(join(dir, 'pki'));
  const { cert, key } = authority.issue({ commonName: 'kube-apiserver', addresses: ['127.0.0.1'] });
  const client = authority.issue({ commonName: 'hawser', organization: 'system:masters' });
  const api = await startApiServer({ store, cert, key, host: '127.0.0.1' });
  stack.defer(() => api.stop());
  const kubeconfig = writeKubeconfig(join(dir, 'kubeconfig'), api.url, authority.certFile, client);
  const at = (name: string): string => join(dir, name);
  for (const name of ['conf', 'run']) mkdirSync(at(name));
  const socket = at('run/master.sock');
  const shared = [
    '--config',
    at('conf/haproxy.cfg'),
    '--socket',
    socket,
    '--stats-socket',
    at('run/stats.sock'),
  ];
  const profiled = profiles && { NODE_OPTIONS: `--cpu-prof --cpu-prof-dir=${profiles}` };
  const run = (name: string, args: readonly string[], env: NodeJS.ProcessEnv = {}): ChildProcess =>
    startLogged([hawser, ...args], at(`${name}.log`), { ...profiled, ...env });
  const files = ['--pid-file', at('run/haproxy.pid'), '--state-file', at('run/state'), '--listen', 'off'];
  const drain = ['--drain-timeout', '1s', '--force-delete-timeout', forceDeleteTimeout];
  const supervisor = run('supervisor', ['haproxy', 'supervise', ...shared, ...files, ...drain]);
  stack.defer(() => endChild(supervisor));
  const start = (reloadIntervalMs: number): ChildProcess =>
    run(
      'router',
      ['router', ...shared, '--kubeconfig', kubeconfig, '--listen', '127.0.0.1:1936', '--threads', '1'],
      {
        ROUTER_SERVICE_HTTP_PORT: `${ports.httpPort}`,
        ROUTER_SERVICE_HTTPS_PORT: `${ports.httpsPort}`,
        ROUTER_MAX_CONNECTIONS: '2000',
        ROUTER_GRACEFUL_SHUTDOWN_DELAY: '0s',
        // Status writes are measured separately, and server checks are HAProxy's own work.
        ROUTER_UPDATE_STATUS: 'false',
        ROUTER_BACKEND_CHECK_INTERVAL: checkInterval,
        RELOAD_INTERVAL: `${reloadIntervalMs}ms`,
        ...more,
      },
    );
  let router = start(firstIntervalMs);
  stack.defer(() => endChild(router));
  const owned = stack.move();
  return {
    store,
    supervisor,
    router: () => router,
    serving: async () => {
      const status = await request(socket, 'status', { timeoutMs: 10_000 });
      const { current } = statusSchema.parse(status.kind === 'answered' ? status.answer : {});
      return { ...current, master: current.pid };
    },
    restart: async (reloadIntervalMs) => {
      await endChild(router);
      router = start(reloadIntervalMs);
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}
