import { copyFileSync, createWriteStream } from 'node:fs';
import { addAddress, createNetNamespace, type NetNamespace } from '../../test/helpers/net-namespace.ts';
import { startProcess } from './child-process.ts';
import { type Cluster, startCluster } from './cluster.ts';
import { makeFolder } from './folder.ts';
import { type Journal, startJournal, type Telling } from './journal.ts';
import { type DemoPaths, demoPaths, network, programs, serverAddresses } from './layout.ts';
import type { Target } from './load-plan.ts';
import { look } from './look.ts';
import { pageParts, startRelay } from './page.ts';
import { startTraffic, type Traffic } from './traffic.ts';
import { until } from './until.ts';

/** One control-plane node with a VIP, its cluster, and a client, all in a separate network namespace. */
export interface Stage extends AsyncDisposable {
  readonly paths: DemoPaths;
  readonly namespace: NetNamespace;
  readonly cluster: Cluster;
  readonly traffic: Traffic;
  readonly journal: Journal;
  /** The page's URL for a browser on this machine. */
  readonly pageUrl: string;
  /** Whether nftables redirects the VIP's traffic to HAProxy. */
  readonly hasRedirect: () => Promise<boolean>;
}

const READY_WITHIN_MS = 30_000;

const telling: Telling = {
  'configuration-rejected': 'monitor: haproxy -c refuses the new configuration',
  'template-unusable': 'monitor: the template cannot be rendered',
  'api-unavailable': 'monitor: no API server answers',
  'api-available': 'monitor: an API server answers again',
  'list-held': 'monitor: a list of servers is held back',
};

const theVip: Target = {
  name: 'the VIP',
  address: network.vip,
  port: network.apiPort,
  host: network.vip,
  path: '/version',
  tls: true,
  namedBy: 'certificate',
  isHeld: true,
};

/**
 * Resolves once requests to the VIP are served. Disposing of it stops every program and removes the namespace and the
 * folder. If this process dies first, a shell that outlives it does the same.
 */
export async function createStage(onEvent: (text: string) => void, signal: AbortSignal): Promise<Stage> {
  const stack = new AsyncDisposableStack();
  try {
    return await furnish(stack, onEvent, signal);
  } catch (error) {
    await stack.disposeAsync();
    throw error;
  }
}

async function furnish(
  stack: AsyncDisposableStack,
  onEvent: (text: string) => void,
  signal: AbortSignal,
): Promise<Stage> {
  const paths = demoPaths(makeFolder(stack));
  const journal = startJournal(createWriteStream(paths.log), telling, onEvent);
  const namespace = stack.use(await createNetNamespace());
  await addAddresses(namespace);
  signal.throwIfAborted();
  const cluster = await startCluster(namespace.prefix, paths, journal.take, signal);
  stack.defer(cluster.stop);
  const run = (graceMs: number, ...args: readonly string[]) => {
    const started = startProcess([...namespace.prefix, programs.hawser, ...args], journal.take);
    stack.defer(() => started.stop(graceMs));
  };
  copyFileSync(programs.template, paths.template);
  run(3_000, 'haproxy', 'supervise', ...superviseFlags(paths));
  run(3_000, 'haproxy', 'monitor', paths.kubeconfig, paths.template, paths.config, ...monitorFlags(paths));
  const page = pageParts(paths.dir);
  run(1_000, 'status', ...page.serve, ...pageFlags(paths));
  const bridge = startProcess([...namespace.prefix, ...page.bridge], journal.take);
  stack.defer(() => bridge.stop(1_000));
  const { url: pageUrl } = stack.use(await startRelay(page.path));
  const hasRedirect = () => redirectIn(namespace);
  const limits = { deadlineMs: READY_WITHIN_MS, signal };
  const isServed = async () => (await look(paths)).servers.some(({ status }) => status.startsWith('UP'));
  await until('HAProxy to have a server', isServed, limits).catch(journal.explain);
  await until('the redirect from the VIP to HAProxy', hasRedirect, limits).catch(journal.explain);
  const traffic = startTraffic(namespace.prefix, { targets: [theVip], caFile: cluster.caFile }, onEvent);
  stack.defer(traffic.stop);
  onEvent(`the page is at ${pageUrl}`);
  return {
    paths,
    namespace,
    cluster,
    traffic,
    journal,
    pageUrl,
    hasRedirect,
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

async function addAddresses(namespace: NetNamespace): Promise<void> {
  // The loopback is enough and needs no kernel module.
  for (const address of [...Object.values(serverAddresses), network.vip])
    await addAddress(namespace, 'lo', `${address}/32`);
}

function superviseFlags(paths: DemoPaths): readonly string[] {
  return [...sharedFlags(paths), '--config', paths.config, '--pid-file', paths.pidFile, '--drain-timeout=1s'];
}

function monitorFlags(paths: DemoPaths): readonly string[] {
  return [...sharedFlags(paths), '--api-vip', network.vip, '--source=nodes'];
}

/** There is no keepalived here; the VIP is on the loopback from the start. */
function pageFlags(paths: DemoPaths): readonly string[] {
  return [
    ...['--keepalived-supervisor', 'off', '--keepalived-monitor', 'off'],
    ...['--api-vips', network.vip, '--journal', paths.journalDir],
  ];
}

function sharedFlags(paths: DemoPaths): readonly string[] {
  return [
    ...['--socket', paths.controlSocket, '--stats-socket', paths.statsSocket],
    ...['--state-file', paths.stateFile, '--journal', paths.journalDir],
  ];
}

/** Asks the kernel, not the monitor. */
async function redirectIn(namespace: NetNamespace): Promise<boolean> {
  const { vip, apiPort, lbPort } = network;
  const ruleset = await namespace.run('nft', 'list', 'ruleset');
  return ruleset.includes(`${vip} . ${apiPort} : ${vip} . ${lbPort}`);
}
