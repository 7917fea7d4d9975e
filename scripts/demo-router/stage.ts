import { createWriteStream, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Authority, createAuthority } from '../../test/helpers/certificates.ts';
import { type Backends, startBackends } from '../../test/helpers/load/start-backends.ts';
import { addAddress, createNetNamespace, type NetNamespace } from '../../test/helpers/net-namespace.ts';
import { POD_PORT } from '../../test/helpers/router/live-router.ts';
import { startProcess } from '../demo/child-process.ts';
import { kubeconfig, startApiServer } from '../demo/cluster.ts';
import { makeFolder } from '../demo/folder.ts';
import { type Journal, startJournal } from '../demo/journal.ts';
import { programs } from '../demo/layout.ts';
import type { Target } from '../demo/load-plan.ts';
import { startTraffic, type Traffic } from '../demo/traffic.ts';
import { until } from '../demo/until.ts';
import { addressOf, endpoints, hosts, lastingRoutes, podDnsNames, podNames, templateOf } from './routes.ts';
import { type RoutesApi, routesApi } from './routes-api.ts';

/** A node with a router, an API with Routes, pods and a client, all in a separate network namespace. */
export interface Stage extends AsyncDisposable {
  readonly sockets: { readonly controlSocket: string; readonly statsSocket: string };
  readonly api: RoutesApi;
  readonly pods: Backends;
  readonly authority: Authority;
  /** The routes that always exist and always answer. */
  readonly lasting: ReturnType<typeof lastingRoutes>;
  readonly traffic: Traffic;
  readonly journal: Journal;
  /** Sends a request for a host through the router. Resolves with the answering pod's name, or with the status if it is not 200. */
  readonly ask: (host: string) => Promise<string>;
}

const node = '10.77.0.11';
const API = { port: 6_443, url: `https://${node}:6443` };
const HTTP_PORT = 80;
const HTTPS_PORT = 443;
const READY_WITHIN_MS = 60_000;
const shippedTemplate = fileURLToPath(new URL('../../templates/router.cfg.ejs', import.meta.url));

const telling = {
  'route-left-out': 'router: HAProxy refuses a route, which is left out',
  'configuration-not-applied': 'router: the configuration could not be applied',
  'template-unusable': 'router: the template cannot be rendered',
  'api-unavailable': 'router: the API does not answer',
  'api-available': 'router: the API answers again',
};

/** Resolves once every permanent route answers. Disposing of it stops every program and removes the namespace and the folder. */
export async function createStage(onEvent: (text: string) => void, signal: AbortSignal): Promise<Stage> {
  await using stack = new AsyncDisposableStack();
  const dir = makeFolder(stack);
  const at = (name: string): string => join(dir, name);
  const journal = startJournal(createWriteStream(at('demo.log')), telling, onEvent);
  const namespace = stack.use(await createNetNamespace());
  for (const address of [node, ...podNames.map(addressOf)])
    await addAddress(namespace, 'lo', `${address}/32`);
  signal.throwIfAborted();
  const authority = createAuthority(at('pki'));
  const pods = stack.use(await startPods(namespace, authority));
  const lasting = lastingRoutes(authority);
  const api = routesApi(namespace, API.url, at('cluster.json'));
  await api.show([...lasting, ...endpoints()]);
  await startApi(stack, { namespace, authority, at, journal }, signal);
  const sockets = startRouter(stack, { namespace, authority, at, journal });
  const ask = (host: string) => askThrough(namespace, host);
  for (const { host } of targets)
    await until(`${host} to answer`, async () => isPod(await ask(host)), {
      deadlineMs: READY_WITHIN_MS,
      signal,
    }).catch(journal.explain);
  const traffic = startTraffic(namespace.prefix, { targets, caFile: authority.certFile }, onEvent);
  stack.defer(traffic.stop);
  const owned = stack.move();
  return {
    sockets,
    api,
    pods,
    authority,
    lasting,
    traffic,
    journal,
    ask,
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

const targets: readonly Target[] = (['plain', 'edge', 'reencrypt', 'passthrough'] as const).map((name) => ({
  name,
  host: hosts[name],
  address: node,
  path: '/',
  namedBy: 'body',
  ...(name === 'plain' ? { tls: false, port: HTTP_PORT } : { tls: true, port: HTTPS_PORT }),
  // A draining HAProxy closes a connection without a request, but not a passthrough connection.
  isHeld: name === 'passthrough',
}));

interface Backstage {
  readonly namespace: NetNamespace;
  readonly authority: Authority;
  readonly journal: Journal;
  /** The path of a file in the demo's folder. */
  readonly at: (name: string) => string;
}

async function startPods(namespace: NetNamespace, authority: Authority): Promise<Backends> {
  const identity = authority.issue({ commonName: 'pod', dnsNames: podDnsNames });
  const pods = podNames.map((name) => ({ name, host: addressOf(name), port: POD_PORT }));
  // In its own session, so that Ctrl-C in the terminal reaches only the demo.
  return await startBackends(['setsid', ...namespace.prefix], pods, identity);
}

async function startApi(
  stack: AsyncDisposableStack,
  { namespace, authority, at, journal }: Backstage,
  signal: AbortSignal,
): Promise<void> {
  const { certFile, keyFile } = authority.issue({ commonName: 'kube-apiserver', addresses: [node] });
  const where = ['--host', node, '--port', `${API.port}`, '--state', at('cluster.json')];
  const flags = [...where, '--cert', certFile, '--key', keyFile];
  const server = startApiServer(namespace.prefix, flags, journal.take);
  stack.defer(() => server.stop(1_000));
  await server.listens(signal);
}

/** Starts the router and its HAProxy's supervisor, with their pages at the addresses that `hawser status` reads. */
function startRouter(
  stack: AsyncDisposableStack,
  { namespace, authority, at, journal }: Backstage,
): Stage['sockets'] {
  const run = (...args: readonly string[]) => {
    const started = startProcess([...namespace.prefix, programs.hawser, ...args], journal.take);
    stack.defer(() => started.stop(3_000));
  };
  writeFileSync(at('template.ejs'), templateOf(readFileSync(shippedTemplate, 'utf8')));
  writeFileSync(at('kubeconfig'), kubeconfig(API.url, authority));
  const controlSocket = at('control.sock');
  const statsSocket = at('haproxy.sock');
  const shared = ['--config', at('haproxy.cfg'), '--socket', controlSocket, '--stats-socket', statsSocket];
  const files = ['--pid-file', at('haproxy.pid'), '--state-file', at('server-state')];
  run(...['haproxy', 'supervise', '--listen', '127.0.0.1:29449'], ...shared, ...files, '--drain-timeout=1s');
  run(
    ...['router', '--kubeconfig', at('kubeconfig'), '--template', at('template.ejs'), ...shared],
    ...['--http-port', `${HTTP_PORT}`, '--https-port', `${HTTPS_PORT}`, '--listen', `127.0.0.1:1936`],
    ...['--max-connections', '1000', '--threads', '1', '--reload-interval', '1s', '--shutdown-delay', '0s'],
  );
  return { controlSocket, statsSocket };
}

async function askThrough(namespace: NetNamespace, host: string): Promise<string> {
  const target = targets.find((each) => each.host === host);
  const [scheme, port] = target?.tls === false ? ['http', HTTP_PORT] : ['https', HTTPS_PORT];
  const how = ['-sk', '--max-time', '5', '--resolve', `${host}:${port}:${node}`, '-w', '\n%{http_code}'];
  const text = await namespace.run('curl', ...how, `${scheme}://${host}/`).catch(() => '\n0');
  const [body = '', status = ''] = text.split('\n').slice(-2);
  return status === '200' ? body : status;
}

function isPod(name: string): boolean {
  return podNames.some((each) => each === name);
}
