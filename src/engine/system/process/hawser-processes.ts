import { readlinkSync } from 'node:fs';
import { entriesOf, readText } from '../file/read-text.ts';
import { instanceName, parseEnvironment } from './instance-name.ts';
import type { ProcessId } from './process-id.ts';
import { childrenOf, readProcess } from './processes.ts';
import { programIndex } from './program-path.ts';

export interface RunningProcess {
  readonly id: ProcessId;
  /** `haproxy supervise`, or the program's own name for what it started. */
  readonly what: string;
}

/**
 * hawser's daemons on this node, by their names, and everything below them. On this node: in this network namespace, since two nodes
 * of a test share one list of processes. They are looked at, never signalled.
 */
export function hawserProcesses(
  names: readonly string[],
  instance: string | undefined,
): readonly RunningProcess[] {
  const network = networkOf('self');
  const daemons = entriesOf('/proc').flatMap((pid) => {
    const what = /^\d+$/.test(pid) ? daemonOf(pid, names, instance) : undefined;
    const found = what === undefined || networkOf(pid) !== network ? undefined : readProcess(Number(pid));
    return what === undefined || found === undefined ? [] : [{ id: found.id, what }];
  });
  return daemons.flatMap((daemon) => [daemon, ...below(daemon.id)]);
}

/**
 * Which of these daemons it is: `haproxy supervise` for `node … hawser.mjs haproxy supervise …`. None for one of
 * another instance; undefined is the one without a name.
 */
export function daemonOf(
  pid: string | number,
  names: readonly string[],
  instance: string | undefined,
): string | undefined {
  const words = readText(`/proc/${pid}/cmdline`).split('\0');
  const program = programIndex(words);
  const typed = `${words.slice(program + 1).join(' ')} `;
  const name = program > 0 ? names.find((each) => typed.startsWith(`${each} `)) : undefined;
  const isOther = name !== undefined && instanceName(words, environmentOf(pid)) !== instance;
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
