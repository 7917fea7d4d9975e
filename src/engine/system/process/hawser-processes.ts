import { readlinkSync } from 'node:fs';
import { entriesOf, readText } from '../file/read-regular-file.ts';
import { instanceName, parseEnvironment } from './instance-name.ts';
import { childrenOf, type ProcessId, readProcess } from './processes.ts';
import { programIndex } from './program-path.ts';

export interface RunningProcess {
  readonly id: ProcessId;
  /** The command, such as `router`, or the name of a program that hawser started. */
  readonly what: string;
}

/**
 * The daemons of hawser on this node that have one of these names, and their descendants, except those with `--instance`. A node is a network
 * namespace, because nodes of a test share one process list. The processes are only read, never signalled.
 */
export function hawserProcesses(names: readonly string[]): readonly RunningProcess[] {
  const network = networkOf('self');
  const daemons = entriesOf('/proc').flatMap((pid) => {
    const what = /^\d+$/.test(pid) ? daemonOf(pid, names) : undefined;
    const running = what === undefined || networkOf(pid) !== network ? undefined : readProcess(Number(pid));
    return what === undefined || running === undefined ? [] : [{ id: running.id, what }];
  });
  return daemons.flatMap((daemon) => [daemon, ...below(daemon.id)]);
}

/** The daemon's name: `router` for `node … hawser.mjs router …`. Undefined for a daemon with `--instance`, and for other programs. */
export function daemonOf(pid: string | number, names: readonly string[]): string | undefined {
  const words = readText(`/proc/${pid}/cmdline`).split('\0');
  const program = programIndex(words);
  const typed = `${words.slice(program + 1).join(' ')} `;
  const name = program > 0 ? names.find((each) => typed.startsWith(`${each} `)) : undefined;
  const isOther = name !== undefined && instanceName(words, environmentOf(pid)) !== undefined;
  return isOther ? undefined : name;
}

function environmentOf(pid: string | number): Readonly<Record<string, string>> {
  return parseEnvironment(readText(`/proc/${pid}/environ`));
}

function below(parent: ProcessId): readonly RunningProcess[] {
  return childrenOf(parent).flatMap((id) => [
    { id, what: readText(`/proc/${id.pid}/comm`).trim() },
    ...below(id),
  ]);
}

function networkOf(pid: string): string | undefined {
  try {
    return readlinkSync(`/proc/${pid}/ns/net`);
  } catch {
    return undefined;
  }
}
