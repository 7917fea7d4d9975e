import { type CommandSpec, commandAmong } from '../../cli/command-spec.ts';
import type { Pod } from '../../cli/pod.ts';
import type { HostFiles } from '../../engine/examine/host-files.ts';
import { type HostProcess, listProcesses } from '../../engine/examine/host-processes.ts';
import { instanceName, parseEnvironment } from '../../engine/system/process/instance-name.ts';
import { programIndex } from '../../engine/system/process/program-path.ts';
import { podLayout } from '../install/layout.ts';
import { manifestContainers } from '../install/manifest-containers.ts';

/** How one of hawser's daemons was started on this node, or how its manifest would start it. */
export interface Daemon {
  readonly spec: CommandSpec;
  /** Translates a path in the daemon's container to a path for this process. */
  readonly at: (path: string) => string;
  /** The arguments after the command's name. */
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** The working directory, for relative paths. */
  readonly folder: string;
  /** Milliseconds since the Unix epoch, accurate to two seconds; undefined if the daemon is not running. */
  readonly startedAtMs: number | undefined;
}

/** The kernel's unit of time in /proc. */
const TICKS_PER_SECOND = 100;

/**
 * Returns the products' daemons as they run in this network namespace, else as their static pods would start them. Omits daemons that
 * neither run nor are installed, and daemons with `--instance`.
 */
export async function findDaemons(files: HostFiles, pods: readonly Pod[]): Promise<readonly Daemon[]> {
  const specs = pods.flatMap(({ daemons }) => daemons);
  const all = [...(await findRunning(files, specs)), ...(await installedDaemons(files, pods, specs))];
  return specs.flatMap((spec) => all.find((daemon) => daemon.spec === spec) ?? []);
}

/** Returns the daemons of these specs that run in this network namespace, whatever started them. */
export async function findRunning(
  files: HostFiles,
  specs: readonly CommandSpec[],
): Promise<readonly Daemon[]> {
  const processes = specs.length === 0 ? [] : await listProcesses(files);
  const running = await Promise.all(
    processes.map(async (process) => await runningDaemon(process, files, specs)),
  );
  return running.filter((daemon) => daemon !== undefined);
}

async function runningDaemon(
  { pid, argv }: HostProcess,
  files: HostFiles,
  specs: readonly CommandSpec[],
): Promise<Daemon | undefined> {
  const program = programIndex(argv);
  const command = commandAmong(specs, argv.slice(program + 1));
  if (program < 0 || command === undefined) return undefined;
  const env = parseEnvironment((await files.value(`/proc/${pid}/environ`)) ?? '');
  if (instanceName(command.argv, env) !== undefined) return undefined;
  return {
    ...command,
    env,
    folder: (await files.link(`/proc/${pid}/cwd`)) ?? '/',
    at: (path) => files.at(`/proc/${pid}/root${path}`),
    startedAtMs: await startOf(pid, files),
  };
}

/** The start time of a process: boot time plus the ticks since then, see proc(5). */
async function startOf(pid: number, files: HostFiles): Promise<number | undefined> {
  const [stat, boot] = await Promise.all([files.value(`/proc/${pid}/stat`), files.value('/proc/stat')]);
  const fields = stat?.slice(stat.lastIndexOf(')') + 2).split(' ');
  const bootSeconds = /^btime (\d+)$/m.exec(boot ?? '')?.[1];
  if (fields?.[19] === undefined || bootSeconds === undefined) return undefined;
  return Number(bootSeconds) * 1_000 + (Number(fields[19]) / TICKS_PER_SECOND) * 1_000;
}

/** The daemons in hawser's manifests. */
async function installedDaemons(
  files: HostFiles,
  pods: readonly Pod[],
  specs: readonly CommandSpec[],
): Promise<readonly Daemon[]> {
  const containers = await Promise.all(
    pods.map(async (pod) => manifestContainers((await files.value(podLayout(pod).manifest)) ?? '')),
  );
  return containers.flat().flatMap(({ args, env, folder, hostPath }) => {
    const command = commandAmong(specs, args);
    const at = (path: string): string => files.at(hostPath(path));
    return command === undefined ? [] : { ...command, env, folder, at, startedAtMs: undefined };
  });
}
