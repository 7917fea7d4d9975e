import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { superviseProgram } from '../../engine/supervise/supervise-program.ts';
import { messageOf } from '../../engine/system/errors.ts';
import type { Log } from '../../engine/system/log.ts';
import { runLeanCommand } from '../../engine/system/process/run-lean-command.ts';
import { keepalivedEvents } from '../keepalived-events.ts';
import { createKeepalivedProgram, keepalivedPaths } from '../keepalived-program.ts';
import { readNotifyFifo } from '../notify-fifo.ts';
import type { KeepalivedSuperviseSettings } from './keepalived-supervise-settings.ts';
import { createVrrpSupervisor, type VrrpSupervisor } from './supervisor.ts';
import type { VrrpStatus } from './vrrp-status.ts';
import { createVrrpSupervisorMetrics } from './vrrp-supervisor-metrics.ts';

/** Resolves with 0 after a stop was requested and no VIP is left. */
export async function superviseKeepalived(settings: KeepalivedSuperviseSettings): Promise<number> {
  const kind = {
    name: 'keepalived-supervisor',
    events: keepalivedEvents,
    metrics: createVrrpSupervisorMetrics(),
  };
  return await superviseProgram(kind, settings, async (log) => {
    const supervisor = await start(settings, log);
    const { request, status } = supervisor;
    const answers = {
      reload: () => request('reload'),
      stop: () => request('stop'),
      start: () => request('start'),
      status,
    };
    const unready = () => unreadiness(status());
    return { ...supervisor, answers, unready, now: () => status().instances };
  });
}

async function start(settings: KeepalivedSuperviseSettings, log: Log): Promise<VrrpSupervisor> {
  const { runDir, monitorTimeout: silentAfterMs } = settings;
  const paths = keepalivedPaths(settings);
  mkdirSync(paths.dumpDir, { recursive: true, mode: 0o700 });
  const realtimePriority = await permittedPriority(settings.realtimePriority, log);
  const { promise: started, resolve: resolveSupervisor } = Promise.withResolvers<VrrpSupervisor>();
  const closeFifo = await readNotifyFifo(
    join(runDir, 'notify.fifo'),
    (notification) => void started.then((supervisor) => supervisor.notified(notification)),
  );
  const supervisor = createVrrpSupervisor({
    program: createKeepalivedProgram(paths, { realtimePriority, silentAfterMs }),
    recordPath: join(runDir, 'hawser-keepalived.json'),
    statePath: join(runDir, 'vrrp-state.json'),
    log,
  });
  resolveSupervisor(supervisor);
  void supervisor.finished.then(closeFifo);
  return supervisor;
}

/** On a starved node even `true` takes long to start. It runs once per supervisor. */
const TRY_PRIORITY_MS = 20_000;

/** The requested priority if the container has CAP_SYS_NICE. Otherwise keepalived runs without a realtime priority. */
async function permittedPriority(requested: number | undefined, log: Log): Promise<number | undefined> {
  if (requested === undefined) return undefined;
  const problem = await runLeanCommand(['chrt', '--rr', String(requested), 'true'], {
    timeoutMs: TRY_PRIORITY_MS,
  }).then(
    ({ exitCode, stderr }) => (exitCode === 0 ? undefined : stderr.trim() || `exit code ${exitCode}`),
    messageOf,
  );
  if (problem === undefined) return requested;
  log({ event: 'no-realtime-priority', level: 'warn', wanted: requested, message: problem });
  return undefined;
}

/**
 * Why this node cannot hold any VIP; undefined if keepalived runs and competes for at least one. One is enough: on a node without a
 * router the ingress VIP is in FAULT, as intended. A drained node competes.
 */
export function unreadiness({
  phase,
  instances,
}: Pick<VrrpStatus, 'phase' | 'instances'>): string | undefined {
  if (phase !== 'running') return `keepalived does not run: ${phase}`;
  if (instances.some(({ state }) => state === 'MASTER' || state === 'BACKUP')) return undefined;
  const states = instances.map(({ name, state }) => `${name} is ${state}`);
  return `keepalived competes for no VIP: ${states.join(', ') || 'no instance'}`;
}
