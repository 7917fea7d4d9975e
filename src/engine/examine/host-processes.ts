import { instanceName, parseEnvironment } from '../system/process/instance-name.ts';
import type { HostFiles } from './host-files.ts';

export interface HostProcess {
  readonly pid: number;
  /** At most 15 characters: the kernel truncates it. */
  readonly name: string;
  readonly argv: readonly string[];
  /** The instance name of a hawser daemon; undefined without one, and for other programs. */
  readonly instance?: string | undefined;
}

/**
 * Every process of this network namespace, without kernel threads. A process in another namespace (a pod with its own address) uses none
 * of our ports and holds none of our VIPs. A process whose namespace cannot be read is included.
 */
export async function listProcesses(files: HostFiles): Promise<readonly HostProcess[]> {
  const pids = (await files.list('/proc')).filter((name) => /^\d+$/.test(name));
  const ours = await files.link('/proc/self/ns/net');
  const processes = await Promise.all(
    pids.map(async (pid) => {
      const network = await files.link(`/proc/${pid}/ns/net`);
      const isElsewhere = network !== undefined && ours !== undefined && network !== ours;
      return isElsewhere ? undefined : await readHostProcess(files, Number(pid));
    }),
  );
  return processes.filter((each) => each !== undefined);
}

async function readHostProcess(files: HostFiles, pid: number): Promise<HostProcess | undefined> {
  const [name, command] = await Promise.all([
    files.value(`/proc/${pid}/comm`),
    files.value(`/proc/${pid}/cmdline`),
  ]);
  if (name === undefined || command === undefined || command === '') return undefined;
  const argv = command.split('\0').filter((word) => word !== '');
  // The environment of other programs is not read.
  if (!argv.includes('supervise') && !argv.includes('monitor')) return { pid, name, argv };
  const env = parseEnvironment((await files.value(`/proc/${pid}/environ`)) ?? '');
  return { pid, name, argv, instance: instanceName(argv, env) };
}

/** Whether a process was started as `hawser WORDS`. */
export function isHawser({ argv }: HostProcess, words: readonly string[]): boolean {
  return argv.some((_, at) => words.every((word, index) => argv[at + index] === word));
}
