import type { ChildProcess } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod/mini';
import type { StoredObject } from '../api-server/object-store.ts';
import { endChild, startLogged } from '../child.ts';
import { type Cluster, createCluster } from '../cluster.ts';
import { type Backends, startBackends } from '../load/start-backends.ts';
import { hawser } from '../supervisor-build.ts';
import {
  type LogLine,
  readLogEvents,
  type SupervisorProcess,
  startSupervisor,
} from '../supervisor-process.ts';
import { waitFor } from '../wait-for.ts';
import { routerTemplate } from './router-settings.ts';

/** A real router and a real supervisor in their own network, with stand-ins for the API and the pods. */
export interface LiveRouter extends AsyncDisposable {
  readonly cluster: Cluster;
  readonly host: string;
  readonly httpPort: number;
  readonly config: string;
  readonly supervisor: SupervisorProcess;
  readonly pods: Backends;
  readonly router: ChildProcess;
  /** Sets the objects in the API. */
  readonly set: (objects: readonly StoredObject[]) => void;
  /** Body and status of a request for `host` through HAProxy. */
  readonly ask: (host: string, path?: string) => Promise<{ readonly status: number; readonly body: string }>;
  readonly answers: (host: string, body: string, path?: string) => Promise<void>;
  /** The HTTP status of a path on the router's page; 0 without an answer. */
  readonly page: (path: string) => Promise<number>;
  /** The value of a metric without labels on the router's page; NaN if it is missing. */
  readonly gauge: (name: string) => Promise<number>;
  readonly events: (event: string) => readonly LogLine[];
  readonly says: (event: string, count?: number) => Promise<LogLine>;
  /** How often HAProxy has been started. */
  readonly generation: () => Promise<number>;
}

export interface LiveRouterOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly objects?: readonly StoredObject[];
  readonly pods?: readonly string[];
  /** Of the pods, if they are asked over TLS. */
  readonly identity?: { readonly cert: string; readonly key: string };
  /** If false, nothing listens at the API's address yet. */
  readonly startApi?: boolean;
  /** Replaces HAProxy, for the supervisor and for the router's checks. */
  readonly haproxy?: (dir: string) => string;
  /** Makes the router's template from the shipped one. */
  readonly template?: (shipped: string) => string;
}

export const POD_PORT = 8_080;
const HTTP_PORT = 8_000;
const PAGE_PORT = 1_936;
const host = '10.77.0.11';

/** Pods have the addresses 10.77.1.1, 10.77.1.2 … and answer with their names. */
export const podAddress = (index: number): string => `10.77.1.${index + 1}`;

export async function startLiveRouter(options: LiveRouterOptions = {}): Promise<LiveRouter> {
  const { env = {}, objects = [], pods: names = ['a', 'b'], startApi = true } = options;
  await using stack = new AsyncDisposableStack();
  const cluster = stack.use(await createCluster(1));
  const { namespace, dir, serving } = cluster;
  const [node] = cluster.nodes;
  if (node === undefined) throw new Error('no node');
  for (const index of names.keys())
    await namespace.run('ip', 'address', 'add', `${podAddress(index)}/32`, 'dev', 'node0');
  const backends = names.map((name, index) => ({ name, host: podAddress(index), port: POD_PORT }));
  const identity = options.identity ?? serving;
  const pods = stack.use(await startBackends(namespace.prefix, backends, identity));
  cluster.setObjects(objects);
  if (startApi) await cluster.startServer(node);
  const at = (name: string): string => join(dir, name);
  for (const name of ['conf', 'run']) mkdirSync(at(name));
  const config = at('conf/haproxy.cfg');
  const socket = at('run/master.sock');
  const program = options.haproxy === undefined ? [] : ['--haproxy', options.haproxy(dir)];
  const shared = ['--config', config, '--socket', socket, '--stats-socket', at('run/stats.sock')];
  const supervisor = startSupervisor(
    namespace.prefix,
    [
      ...shared,
      ...['--pid-file', at('run/haproxy.pid'), '--state-file', at('run/state'), '--listen', 'off'],
      ...['--drain-timeout', '1s', '--force-delete-timeout', '60s', '--fail-forced-stop'],
      ...program,
    ],
    { socket, logPath: at('supervisor.log') },
  );
  await waitFor('the supervisor', () => existsSync(socket));
  const kubeconfig = cluster.kubeconfig(`https://${host}:6443`);
  if (options.template !== undefined)
    writeFileSync(at('template.ejs'), options.template(routerTemplate.text));
  const template = options.template === undefined ? [] : ['--template', at('template.ejs')];
  const flags = [
    ...[...shared, ...program, ...template],
    '--kubeconfig',
    kubeconfig,
    '--listen',
    `${host}:${PAGE_PORT}`,
    '--threads',
    '1',
  ];
  const router = startLogged([...namespace.prefix, hawser, 'router', ...flags], at('router.log'), {
    ROUTER_SERVICE_HTTP_PORT: `${HTTP_PORT}`,
    ROUTER_SERVICE_HTTPS_PORT: '8443',
    ROUTER_MAX_CONNECTIONS: '1000',
    ROUTER_GRACEFUL_SHUTDOWN_DELAY: '0s',
    RELOAD_INTERVAL: '1s',
    ...env,
  });
  stack.defer(() => endChild(router, 'SIGKILL'));
  const events = (event: string) => readLogEvents(at('router.log')).filter((line) => line.event === event);
  const ask = async (asked: string, path = '/') => {
    const url = `http://${host}:${HTTP_PORT}${path}`;
    const curl = [
      'curl',
      '-s',
      '--max-time',
      '5',
      '-w',
      '\n%{http_code}',
      '-H',
      `Host: ${asked}`,
      url,
    ] as const;
    const text = await namespace.run(...curl).catch(() => '\n0');
    const end = text.lastIndexOf('\n');
    return { status: Number(text.slice(end + 1)), body: text.slice(0, end) };
  };
  const owned = stack.move();
  return {
    cluster,
    host,
    httpPort: HTTP_PORT,
    config,
    supervisor,
    pods,
    router,
    ask,
    events,
    set: cluster.setObjects,
    answers: async (asked, body, path) => {
      await waitFor(`${asked}${path ?? ''} to answer ${body}`, async () => {
        const found = await ask(asked, path);
        return found.body === body || `${found.status}` === body;
      });
    },
    page: async (path) => {
      const url = `http://${host}:${PAGE_PORT}${path}`;
      const code = namespace.run('curl', '-s', '-o', '/dev/null', '-w', '%{http_code}', url);
      return Number(await code.catch(() => '0'));
    },
    gauge: async (name) => {
      const text = await namespace.run(
        'curl',
        '-s',
        '--interface',
        '127.0.0.1',
        `http://${host}:${PAGE_PORT}/metrics`,
      );
      return Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1]);
    },
    says: (event, count = 1) =>
      waitFor(`the router to say "${event}"; ${lastLines(at('router.log'))}`, () => events(event)[count - 1]),
    generation: async () => {
      const status = z.looseObject({ current: z.looseObject({ generation: z.number() }) });
      return status.parse(await supervisor.status()).current.generation;
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

function lastLines(path: string): string {
  return existsSync(path) ? readFileSync(path, 'utf8').slice(-600) : '';
}
