import { setTimeout as pause } from 'node:timers/promises';
import { listeningPorts, ownerOf } from '../../engine/system/network/listening-ports.ts';
import { hawserProcesses, type RunningProcess } from '../../engine/system/process/hawser-processes.ts';
import { isAlive } from '../../engine/system/process/processes.ts';
import { monotonicMs } from '../../engine/system/time/monotonic-clock.ts';

const LOOK_EVERY_MS = 200;

/**
 * Waits until hawser's daemons and their processes are gone. Visible ones are known by pid and start time, even if they lose their
 * parent. If processes of other containers are not visible, it waits until no process listens on `ports`. Resolves with
 * what is left after `timeoutMs`.
 */
export async function waitForEnd(
  ports: readonly number[],
  daemons: readonly string[],
  timeoutMs: number,
): Promise<readonly string[]> {
  const end = monotonicMs() + timeoutMs;
  let known: readonly RunningProcess[] = [];
  for (;;) {
    const seen = [...known, ...hawserProcesses(daemons)].filter(({ id }) => isAlive(id));
    known = seen.filter(({ id }, index) => seen.findIndex((other) => other.id.pid === id.pid) === index);
    const left = [
      ...known.map(({ id, what }) => `${what}, pid ${id.pid}`),
      ...listeningPorts()
        .filter((listener) => ports.includes(listener.port) && ownerOf(listener) === undefined)
        .map(({ port }) => `a process on port ${port}, not to be seen from here`),
    ];
    if (left.length === 0 || monotonicMs() >= end) return [...new Set(left)];
    await pause(LOOK_EVERY_MS);
  }
}
