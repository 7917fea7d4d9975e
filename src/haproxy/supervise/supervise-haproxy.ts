import { mkdirSync } from 'node:fs';
import { totalmem } from 'node:os';
import { dirname, join } from 'node:path';
import { coalesce } from '../../engine/supervise/coalesce.ts';
import { superviseProgram } from '../../engine/supervise/supervise-program.ts';
import type { Log } from '../../engine/system/log.ts';
import { dropSyns } from '../drop-syn.ts';
import { haproxyEvents } from '../haproxy-events.ts';
import { createHaproxyProgram } from '../haproxy-program.ts';
import type { HaproxySuperviseSettings } from './haproxy-supervise-settings.ts';
import { createHaproxySupervisorMetrics } from './haproxy-supervisor-metrics.ts';
import { createSupervisor, type ServerWatch } from './supervisor.ts';

/** How long a worker may take to count its sessions. The page waits less, because a collector polls many pages at once. */
const COUNT_FOR_SOCKET_MS = 1_000;
const COUNT_FOR_PAGE_MS = 150;

/** Fraction of the memory for the draining generations, if the settings have no limit. */
const DRAINING_PART = 0.5;

/** Resolves with the exit code: 0 after a requested stop in which every process ended by itself, 1 if sessions had to be ended. */
export async function superviseHaproxy(
  settings: HaproxySuperviseSettings,
  watchServers: ServerWatch,
): Promise<number> {
  const metrics = createHaproxySupervisorMetrics();
  const kind = { name: 'haproxy-supervisor', events: haproxyEvents, metrics };
  return await superviseProgram(kind, settings, async (log) => {
    const { statsSocket, pidFile, stateFile } = settings;
    for (const file of [statsSocket, pidFile, stateFile]) mkdirSync(dirname(file), { recursive: true });
    const drop = settings.dropSynDuringRestart ? synDrop(settings, log) : undefined;
    // Removes the leftovers of an earlier supervisor that was killed.
    await drop?.allow();
    const supervisor = await createSupervisor({
      program: drop?.program ?? createHaproxyProgram(settings),
      limits: {
        drainTimeoutMs: settings.drainTimeout,
        forceDeleteTimeoutMs: settings.forceDeleteTimeout,
        startTimeoutMs: settings.startTimeout,
        mostDraining: settings.maxDraining,
        mostDrainingBytes: settings.maxDrainingMemory ?? memoryBytes() * DRAINING_PART,
      },
      recordPath: join(dirname(statsSocket), 'hawser-generations.json'),
      log,
      watchServers,
    });
    void supervisor.finished.then(drop?.allow);
    // Each status queries every worker, and each check starts HAProxy. A client that sends a thousand requests at once causes two of them, one after
    // the other.
    const answers = {
      reload: () => supervisor.reload(),
      check: coalesce(supervisor.check),
      status: coalesce(() => supervisor.status(COUNT_FOR_SOCKET_MS)),
    };
    const status = coalesce(() => supervisor.status(COUNT_FOR_PAGE_MS));
    return {
      ...supervisor,
      answers,
      orders: { apply: supervisor.change },
      status,
      exitCode: () => (settings.failForcedStop && supervisor.isForced() ? 1 : 0),
      now: () => ({ ...supervisor.generations(), ...supervisor.connections() }),
    };
  });
}

/** Memory of the container, or else of the machine. */
function memoryBytes(): number {
  const constrained = process.constrainedMemory();
  return constrained > 0 ? Math.min(constrained, totalmem()) : totalmem();
}

function synDrop(settings: HaproxySuperviseSettings, log: Log) {
  const { statsSocket, instance, startTimeout } = settings;
  const onFailure = (message: string): void => log({ event: 'syn-drop-failed', level: 'warn', message });
  const options = { statsSocket, instance, startTimeoutMs: startTimeout, onFailure };
  return dropSyns(createHaproxyProgram(settings), options);
}
