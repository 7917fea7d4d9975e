import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createAuthority } from './certificates.ts';
import type { LoadPlan } from './load/load-events.ts';
import { type Backends, startBackends } from './load/start-backends.ts';
import { type Load, startLoad } from './load/start-load.ts';
import { createNetNamespace, type NetNamespace } from './net-namespace.ts';
import { readProcesses, type TreeProcess } from './process-tree.ts';
import { configurationText, type Extras, ports } from './supervisor-configuration.ts';
import {
  type LogLine,
  readLogEvents,
  type SupervisorProcess,
  startSupervisor,
} from './supervisor-process.ts';
import { waitFor } from './wait-for.ts';

export interface HostPaths {
  readonly dir: string;
  readonly config: string;
  readonly socket: string;
  readonly statsSocket: string;
  readonly stateFile: string;
  readonly record: string;
  readonly log: string;
}

/** One machine: a network, a folder, and HAProxy processes under a supervisor of ours. */
export interface SupervisedHost extends AsyncDisposable {
  readonly paths: HostPaths;
  readonly namespace: NetNamespace;
  /** Replaces the configuration with one that answers `version` on `ports.version`. */
  readonly install: (version: string, extras?: Extras) => void;
  /** Starts a supervisor, behind the program `under` if given; may be called again once the previous one is gone. */
  readonly supervise: (
    flags?: readonly string[],
    env?: NodeJS.ProcessEnv,
    under?: readonly string[],
  ) => SupervisorProcess;
  readonly events: (name?: string) => readonly LogLine[];
  readonly load: (plan: Partial<LoadPlan>) => Promise<Load>;
  /** Serves streams, and whatever else a load's backend does, on these ports. */
  readonly serve: (...backendPorts: readonly number[]) => Promise<Backends>;
  /** Every HAProxy in this network, including orphans. */
  readonly haproxys: () => readonly TreeProcess[];
  /** Resolves once exactly this many masters, each with one worker, are left and no check runs. */
  readonly waitForGenerations: (count: number, deadlineMs?: number) => Promise<unknown>;
}

/** For tests of drain timeouts. A start may take as long as a busy machine needs. */
export const shortTimes = ['--force-delete-timeout', '2s', '--drain-timeout', '2s', '--start-timeout', '60s'];

/** For tests that count lost connections: nothing is cut just because the machine is slow. */
export const patientTimes = [
  '--force-delete-timeout',
  '60s',
  '--drain-timeout',
  '60s',
  '--start-timeout',
  '60s',
];

export async function createSupervisedHost(): Promise<SupervisedHost> {
  const paths = pathsIn(mkdtempSync('/tmp/hwsr-'));
  const stack = new AsyncDisposableStack();
  stack.defer(() => rmSync(paths.dir, { recursive: true, force: true }));
  const namespace = stack.use(await createNetNamespace());
  const haproxys = (): readonly TreeProcess[] =>
    readProcesses(namespace.residents()).filter(({ kind }) => kind.startsWith('haproxy-'));
  return {
    paths,
    namespace,
    install: (version, extras = {}) => replaceFile(paths.config, configurationText(paths, version, extras)),
    supervise: (flags = shortTimes, env = {}, under = []) =>
      startSupervisor(
        [...namespace.prefix, ...under],
        [...pathFlags(paths), ...flags],
        { socket: paths.socket, logPath: paths.log },
        env,
      ),
    events: (name) => readLogEvents(paths.log).filter(({ event }) => name === undefined || event === name),
    load: async (plan) => stack.use(await startLoad(namespace.prefix, { ...noLoad, ...plan })),
    serve: async (...backendPorts) => {
      const identity = createAuthority(join(paths.dir, 'pki')).issue({ commonName: 'backend' });
      const backends = backendPorts.map((port) => ({ name: `port-${port}`, host: '127.0.0.1', port }));
      return stack.use(await startBackends(namespace.prefix, backends, identity));
    },
    haproxys,
    waitForGenerations: (count, deadlineMs) =>
      waitFor(`${count} generations to be left`, () => holds(haproxys(), count), deadlineMs),
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

function pathsIn(dir: string): HostPaths {
  return {
    dir,
    config: join(dir, 'haproxy.cfg'),
    socket: join(dir, 'master.sock'),
    statsSocket: join(dir, 'run/stats.sock'),
    stateFile: join(dir, 'run/server-state'),
    record: join(dir, 'run/hawser-generations.json'),
    log: join(dir, 'log'),
  };
}

function pathFlags(paths: HostPaths): readonly string[] {
  return [
    ...['--config', paths.config, '--socket', paths.socket, '--stats-socket', paths.statsSocket],
    ...['--pid-file', join(paths.dir, 'run/haproxy.pid'), '--state-file', paths.stateFile],
  ];
}

function replaceFile(path: string, text: string): void {
  writeFileSync(`${path}.new`, text);
  renameSync(`${path}.new`, path);
}

const noLoad: LoadPlan = {
  host: '127.0.0.1',
  port: ports.version,
  ratePerSecond: 0,
  timeoutMs: 30_000,
  streams: 0,
  streamRampMs: 0,
  servers: [],
  probe: null,
};

function holds(haproxys: readonly TreeProcess[], count: number): boolean {
  const masters = haproxys.filter(({ kind }) => kind === 'haproxy-master').length;
  const workers = haproxys.filter(({ kind }) => kind === 'haproxy-worker').length;
  return masters === count && workers === count && haproxys.length === 2 * count;
}
