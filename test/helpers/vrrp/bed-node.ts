import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { ProcessId } from '../../../src/engine/system/process/processes.ts';
import type { NetNamespace } from '../net-namespace.ts';
import { readProcesses, type TreeProcess } from '../process-tree.ts';
import { waitFor } from '../wait-for.ts';
import { type BedProcess, sendSignal, startProcess } from './bed-process.ts';

/** A machine with an interface on the segment, which runs only the started programs. */
export interface BedNode {
  readonly name: string;
  /** Of the VIP's family. */
  readonly address: string;
  /** The interface on the segment. */
  readonly device: string;
  readonly namespace: NetNamespace;
  /** Its own folder below /run: keepalived runs no script that others could have written. */
  readonly dir: string;
  /** Stands for /run: empty after a boot, and perhaps missing. */
  readonly runDir: string;
  at(file: string): string;
  /** The program's output goes to `<dir>/<name>.log`. */
  start(name: string, argv: readonly string[]): BedProcess;
  /** All processes here, whatever their parents, except the bed's own watcher. */
  processes(): readonly TreeProcess[];
  /** The processes of the program with this name, the daemon before its children. */
  running(program: string): readonly ProcessId[];
  /** SIGKILL to everything, as in a power cut. */
  killAll(): void;
}

export interface BedNodeRequest {
  readonly name: string;
  readonly address: string;
  readonly namespace: NetNamespace;
  readonly parentDir: string;
  /** The bed's own processes in the namespace. */
  readonly ours: () => readonly number[];
}

export function createBedNode(request: BedNodeRequest): BedNode {
  const { name, address, namespace } = request;
  const dir = join(request.parentDir, name);
  mkdirSync(dir, { recursive: true });
  const at = (file: string) => join(dir, file);
  const processes = () => {
    const ours = new Set(request.ours());
    return readProcesses(namespace.residents().filter((pid) => !ours.has(pid)));
  };
  return {
    name,
    address,
    device: 'eth0',
    namespace,
    dir,
    runDir: at('run'),
    at,
    start: (program, argv) => startProcess(namespace.prefix, argv, at(`${program}.log`)),
    processes,
    running: (program) =>
      processes()
        .filter(({ argv }) => (argv[0] ?? '').split('/').at(-1) === program)
        .sort((a, b) => a.id.startTicks - b.id.startTicks || a.id.pid - b.id.pid)
        .map(({ id }) => id),
    killAll: () => {
      // Repeated: a process may fork between the listing and the signal.
      for (let round = 0; round < 100; round += 1) {
        const ids = processes().map(({ id }) => id);
        if (ids.length === 0) return;
        sendSignal(ids, 'SIGKILL');
      }
    },
  };
}

export async function waitForProgram(node: BedNode, program: string): Promise<void> {
  await waitFor(`${program} to run on ${node.name}`, () => node.running(program).length > 0);
}
