import { copyFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createAuthority } from '../../helpers/certificates.ts';
import { type Backends, startBackends } from '../../helpers/load/start-backends.ts';
import type { Load } from '../../helpers/load/start-load.ts';
import { createNetNamespace, type NetNamespace } from '../../helpers/net-namespace.ts';
import { readProcesses, type TreeProcess } from '../../helpers/process-tree.ts';
import { waitFor } from '../../helpers/wait-for.ts';
import { type ConfigurationKind, configurationTexts, generationText } from './configuration.ts';
import { type HostLoad, hostLoad } from './host-load.ts';
import { type HostPaths, hostPaths, ports, servers, squatter } from './layout.ts';
import { type SentReload, sendReload } from './send-reload.ts';
import { startSubject } from './start-subject.ts';
import type { Subject } from './subject.ts';
import { temporaryFolder } from './temporary-folder.ts';

export interface HostRequest {
  readonly subject: Subject;
  readonly configuration: ConfigurationKind;
  /** The subject's log is copied to this folder when the host is disposed of. */
  readonly logDir: string | undefined;
  readonly logName: string;
}

/** One machine with one subject: a network, a folder, three API servers, and a prober that asks which version is served. */
export interface Host extends AsyncDisposable, Omit<HostLoad, 'pids'> {
  readonly paths: HostPaths;
  readonly backends: Backends;
  readonly prober: Load;
  /** Atomically replaces the live file with this version. */
  install(generation: number): void;
  reload(): SentReload;
  /** The subject's processes, including orphans: everything in the namespace that the harness did not start itself. */
  processes(): readonly TreeProcess[];
}

/** Starts a subject and resolves once it serves version 0 of the file. */
export async function createHost(request: HostRequest): Promise<Host> {
  const stack = new AsyncDisposableStack();
  try {
    return await furnish(request, hostPaths(temporaryFolder(stack)), stack);
  } catch (error) {
    await stack.disposeAsync();
    throw error;
  }
}

async function furnish(request: HostRequest, paths: HostPaths, stack: AsyncDisposableStack): Promise<Host> {
  const install = installer(request.configuration, paths);
  install(0);
  const namespace = stack.use(await createNetNamespace());
  await roomForConnections(namespace);
  const identity = createAuthority(paths.certificates).issue({ commonName: 'backend' });
  const backends = stack.use(await startBackends(namespace.prefix, [...servers, squatter], identity));
  const load = hostLoad(namespace, stack);
  const prober = await load.startProber();
  stack.defer(() => keepLog(request, paths));
  const subject = startSubject(request.subject, paths, namespace);
  await waitFor(`${request.subject} to serve`, () => prober.servedAtMs(generationText(0)), 15_000);
  const own = () => [backends.pid, ...load.pids(), ...(subject.wrapped ? [subject.pid] : [])];
  return {
    ...load,
    paths,
    backends,
    prober,
    install,
    reload: () => sendReload(paths.masterSocket),
    processes: () => {
      const notOurs = new Set(own());
      return readProcesses(namespace.residents().filter((pid) => !notOurs.has(pid)));
    },
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

/** The text is rendered only once, because a burst leaves no time for it. */
function installer(kind: ConfigurationKind, paths: HostPaths): (generation: number) => void {
  const textOf = configurationTexts(kind, paths);
  return (generation) => {
    writeFileSync(`${paths.config}.new`, textOf(generation));
    renameSync(`${paths.config}.new`, paths.config);
  };
}

/** Leaves room for two minutes of closed connections, none of which takes a port that a new generation wants to bind. */
async function roomForConnections(namespace: NetNamespace): Promise<void> {
  await namespace.run('sysctl', '-qw', 'net.ipv4.ip_local_port_range=17000 65000');
  await namespace.run('sysctl', '-qw', `net.ipv4.ip_local_reserved_ports=${ports.stat},${ports.health}`);
}

function keepLog(request: HostRequest, paths: HostPaths): void {
  if (request.logDir !== undefined)
    copyFileSync(paths.log, join(request.logDir, `${request.logName}-${request.subject}.log`));
}
