import { connect } from 'node:net';
import type { Answer } from '../../engine/control/answer.ts';
import {
  type Check,
  checkOf,
  type Finding,
  fail,
  moreRights,
  ok,
  read,
  skip,
  unknown,
  warn,
} from '../../engine/examine/check.ts';
import type { WantedPort } from '../../engine/examine/context.ts';
import { isHawser } from '../../engine/examine/host-processes.ts';
import { configCheck, type LiveProgram, type Running, supervisorCheck } from '../../engine/examine/live.ts';
import type { Peer } from '../../engine/examine/peer-health.ts';
import { lastWords, notRun, type ProgramOutcome } from '../../engine/examine/run-program.ts';
import { codeOf, messageOf } from '../../engine/system/errors.ts';
import { OLDEST_HAPROXY, parseHaproxyBuild } from '../../haproxy/build.ts';
import { supervisorStatusSchema } from '../../haproxy/supervise/supervisor-status.ts';
import { type Redirect, redirectedPorts } from '../redirect/redirect.ts';
import { REDIRECT_TABLE } from '../redirect/ruleset.ts';
import { parseTableListing, redirects } from '../redirect/table-listing.ts';
import { probeUsable, type UsableSample } from '../redirect/usable.ts';
import { type ApiLbContext, NO_VIP } from './context.ts';

function runningOf(answer: Answer): Running | undefined {
  const { data } = supervisorStatusSchema.safeParse(answer);
  if (data === undefined) return undefined;
  const note = data.current?.config === 'last-good' ? ', on the last good copy of its configuration' : '';
  return {
    phase: data.phase,
    current: data.current && { ...data.current, note },
    failure: data.lastFailure?.message,
  };
}

const live: LiveProgram<ApiLbContext> = {
  name: 'haproxy',
  runningOf,
  supervisor: ({ settings, readings }) => readings.supervisor('haproxy', settings.haproxySocket),
  config: ({ settings }) => settings.haproxyConfig,
};

function judgeHaproxy(outcome: ProgramOutcome): Finding {
  if (outcome.kind !== 'ran') return notRun(outcome, '--haproxy');
  const build = parseHaproxyBuild(outcome.stdout);
  if (build === undefined)
    return unknown('haproxy -vv prints no version', 'haproxy -vv; or set the path: --haproxy PATH');
  const { version } = build;
  if (!build.supported)
    return fail(
      `HAProxy is ${version}, expected ${OLDEST_HAPROXY} or newer`,
      'apt-get install haproxy (Debian 12 has 2.6), or use the image of hawser',
    );
  if (!build.openssl)
    return fail(
      `HAProxy ${version} is built without OpenSSL`,
      'use a build with USE_OPENSSL=1: its checks use HTTPS',
    );
  return ok(`HAProxy ${version}, with OpenSSL`);
}

function judgeNft(outcome: ProgramOutcome): Finding {
  if (outcome.kind === 'missing')
    return fail('nft is not installed here', 'apt-get install nftables (the image of hawser includes it)');
  if (outcome.kind === 'late')
    return unknown(outcome.message, 'find what locks the ruleset: nft list ruleset');
  if (outcome.exitCode === 0) return ok('nft can list the tables of the kernel');
  const message = lastWords(outcome);
  return /not permitted|must be root/i.test(message)
    ? unknown(`nft lacks permission: ${message}`, moreRights)
    : fail(`nft fails: ${message}`, 'modprobe nf_tables; nft list tables');
}

interface RedirectReading {
  readonly expected: Redirect;
  readonly listing: ProgramOutcome;
  /** Whether HAProxy has a usable server. */
  readonly usable: UsableSample;
  readonly isMonitorRunning: boolean;
}

function judgeRedirect({ expected, listing, usable, isMonitorRunning }: RedirectReading): Finding {
  const ports = redirectedPorts(expected).map(([port, target]) => `port ${port} -> ${target}`);
  const mapping = `${expected.vips.join(', ')} ${ports.join(', ')}`;
  if (listing.kind !== 'ran') return unknown(listing.message, 'see check nft');
  const isAbsent = listing.exitCode !== 0 && /No such file/.test(listing.stderr);
  if (listing.exitCode !== 0 && !isAbsent) return unknown(lastWords(listing), moreRights);
  const table = isAbsent ? undefined : parseTableListing(listing.stdout);
  const isCorrect = table !== undefined && redirects(table, expected);
  if (usable === 'ok' && isCorrect) return ok(`${mapping}, and HAProxy has a usable server`);
  if (usable === 'ok')
    return fail(
      isAbsent
        ? `there is no redirect ${mapping}, although HAProxy has a usable server`
        : `table ${REDIRECT_TABLE} does not contain exactly the redirect ${mapping}`,
      isMonitorRunning
        ? 'read the log of haproxy-monitor; check that it uses the same --api-vips and ports as this command'
        : 'start haproxy-monitor, which restores it within a few seconds',
    );
  if (isAbsent) return skip('there is no redirect, and HAProxy has no usable server');
  return fail(
    `clients of ${mapping} reach an HAProxy without a server`,
    `start haproxy-monitor, which removes it, or: nft delete table inet ${REDIRECT_TABLE}`,
  );
}

type Reach = 'open' | 'refused' | { readonly problem: string };

/** Opens a TCP connection and closes it without sending anything. Never rejects. */
function connectTo(
  host: string,
  port: number,
  { signal, answerTimeoutMs }: Pick<ApiLbContext, 'signal' | 'answerTimeoutMs'>,
): Promise<Reach> {
  const limit = AbortSignal.any([signal, AbortSignal.timeout(answerTimeoutMs)]);
  return new Promise((resolve) => {
    const socket = connect({ host, port, signal: limit });
    socket.once('connect', () => {
      socket.destroy();
      resolve('open');
    });
    socket.once('error', (error) => {
      if (codeOf(error) === 'ECONNREFUSED') resolve('refused');
      else resolve({ problem: limit.aborted ? `no answer in ${answerTimeoutMs} ms` : messageOf(error) });
    });
  });
}

interface PeerPorts {
  readonly peer: Peer;
  readonly lbPort: number;
  readonly balancer: Reach;
  /** One entry for each extra port. */
  readonly extra?: readonly (readonly [listenPort: number, reach: Reach])[];
  readonly health: Reach;
}

/** The finding about the ports of a peer's HAProxy: filtered, not listening, or reachable. */
export function judgePeerPorts({ peer, lbPort, balancer, extra = [], health }: PeerPorts): Finding {
  const name = peer.name === peer.address ? peer.address : `${peer.name} (${peer.address})`;
  const served = [[lbPort, balancer] as const, ...extra];
  const portList = served.map(([port]) => port).join(', ');
  const filtered = (what: string, problem: string): Finding =>
    fail(
      `${what} of ${name} cannot be reached: ${problem}`,
      `open the ports listed in docs/install.md on that node; after the redirect its firewall sees ${portList}`,
    );
  for (const [port, reach] of served)
    if (typeof reach === 'object') return filtered(`port ${port}`, reach.problem);
  if (typeof health === 'object') return filtered('the health port', health.problem);
  if (health === 'refused' || balancer === 'refused')
    return warn(
      `HAProxy of ${name} does not listen`,
      'hawser haproxy status there; this is expected until hawser is installed on that node',
    );
  const closed = extra.flatMap(([port, reach]) => (reach === 'refused' ? port : []));
  if (closed.length > 0)
    return warn(
      `HAProxy of ${name} does not listen on ${closed.join(', ')}`,
      'haproxy.extraPorts must be the same on all nodes; compare with: hawser settings there',
    );
  return ok(`${name} accepts connections on the load balancer port and the health port`);
}

export const checks: readonly Check<ApiLbContext>[] = [
  supervisorCheck(live, 'It starts, proves and restarts HAProxy. Without it, HAProxy is not restarted.'),
  configCheck(live, 'A file that differs from the running configuration is a change that is not loaded yet.'),
  checkOf({
    id: 'haproxy-program',
    title: 'The haproxy program',
    why: 'Reloads without lost connections and HTTPS checks need HAProxy 2.6 with OpenSSL.',
    needs: {
      build: async ({ run, settings, signal }: ApiLbContext) =>
        read(await run([settings.haproxy, '-vv'], signal)),
    },
    judge: ({ build }) => judgeHaproxy(build),
  }),
  checkOf({
    id: 'nft',
    title: 'nftables',
    why: 'The redirect from the VIP to HAProxy is an nftables rule; without it clients reach one API server only.',
    needs: {
      tables: async ({ run, settings, signal }: ApiLbContext) =>
        settings.worker ? skip(NO_REDIRECT) : read(await run(['nft', 'list', 'tables'], signal)),
    },
    judge: ({ tables }) => judgeNft(tables),
  }),
  checkOf({
    id: 'redirect',
    title: 'The redirect to HAProxy',
    why: "Without it clients of the VIP reach only this node's API server; with it and no HAProxy, they reach no server.",
    needs: { redirected },
    judge: (facts) => judgeRedirect(facts.redirected),
  }),
  checkOf({
    id: 'peer-ports',
    title: 'Reachability of the peers',
    why: "A firewall sees the load balancer's port, not the VIP's. If it drops that port, clients time out while the node holds the VIP.",
    needs: { reached },
    none: 'there is no other node',
    unlessUnseen: ['skip'],
    judge: (facts) => facts.reached.map(judgePeerPorts),
  }),
];

const NO_REDIRECT = 'a worker has no VIP to redirect';

async function redirected({ settings, run, readings, answerTimeoutMs, signal }: ApiLbContext) {
  if (settings.worker) return skip(NO_REDIRECT);
  const vips = await readings.apiVips();
  if (vips.length === 0) return skip(NO_VIP);
  const [listing, usable, processes] = await Promise.all([
    run(['nft', '-j', 'list', 'table', 'inet', REDIRECT_TABLE], signal),
    probeUsable(settings.healthPort, { timeoutMs: answerTimeoutMs, signal }),
    readings.processes(),
  ]);
  const isMonitorRunning = processes.some(
    (each) => isHawser(each, ['haproxy', 'monitor']) && each.instance === undefined,
  );
  const { apiPort, lbPort, extraPorts } = settings;
  const expected = { vips, apiPort, lbPort, extraPorts };
  return read({ expected, listing, usable, isMonitorRunning });
}

async function reached(context: ApiLbContext) {
  const { lbPort, healthPort, extraPorts, worker } = context.settings;
  if (worker) return skip('a worker uses only its own HAProxy');
  const peers = await context.readings.peers();
  if (peers.kind === 'unknown') return skip(peers.reason);
  const probe = async (peer: Peer): Promise<PeerPorts> => {
    const [balancer, health] = await Promise.all(
      [lbPort, healthPort].map((port) => connectTo(peer.address, port, context)),
    );
    const extra = await Promise.all(
      extraPorts.map(
        async ({ listenPort }) => [listenPort, await connectTo(peer.address, listenPort, context)] as const,
      ),
    );
    return { peer, lbPort, balancer: balancer ?? 'refused', extra, health: health ?? 'refused' };
  };
  return read(await Promise.all(peers.peers.map(probe)));
}

/** The ports that HAProxy needs on this node, for doctor's check of conflicts. */
export function ports(settings: ApiLbContext['settings']): readonly WantedPort[] {
  // hawser's supervisor starts it with these arguments (src/haproxy/argv.ts); a package's service or another pod does not.
  const isOurs: WantedPort['isOurs'] = ({ name, argv }) =>
    name === 'haproxy' && ['-W', '-db', '-S'].every((word) => argv.includes(word));
  const scope = settings.worker ? 'loopback' : 'all';
  return [
    { port: settings.lbPort, what: 'load balancer', flag: '--lb-port', scope, isOurs },
    ...settings.extraPorts.map(({ name, listenPort }): WantedPort => {
      const what = `load balancer of extra port ${name}`;
      return { port: listenPort, what, flag: '--extra-ports', scope, isOurs };
    }),
    { port: settings.healthPort, what: 'health page', flag: '--health-port', scope, isOurs },
    { port: settings.statPort, what: 'statistics', flag: '--stat-port', scope: 'loopback', isOurs },
  ];
}
