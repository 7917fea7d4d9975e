import type { Log } from '../../engine/system/log.ts';
import { presentAddresses } from '../../engine/system/network/interface-addresses.ts';
import { monotonicMs } from '../../engine/system/time/monotonic-clock.ts';
import { sharedRun } from '../../engine/system/time/one-at-a-time.ts';
import { type Disagreement, disagreements } from '../vip-presence.ts';
import type { KeepalivedDriver, TrackReading } from '../vrrp-program.ts';
import type { Processes } from './processes.ts';
import type { Event, VrrpSupervisorState } from './state.ts';

/** A repair follows after two polls, so a VIP is restored or removed within half a second. */
const POLL_INTERVAL_MS = 200;
const CONFIRM_TIMEOUT_MS = 500;

export interface VipReconciler {
  readonly trackFiles: () => readonly TrackReading[];
  /**
   * Dispatches the new lines of keepalived's log. Must be called before a transition is dispatched, because the log has the reason.
   */
  readonly listen: () => void;
  readonly stop: () => void;
}

interface ReconcilerParts {
  readonly program: KeepalivedDriver;
  readonly processes: Processes;
  readonly state: () => VrrpSupervisorState;
  readonly dispatch: (event: Event) => void;
  readonly log: Log;
}

/**
 * Polls what no event reports, five times a second and without a child process: whether each VIP is present exactly on the master, whether
 * the monitor is alive, and whether keepalived's processes are alive.
 */
export function startVipReconciler(parts: ReconcilerParts): VipReconciler {
  const { program, processes, state, dispatch, log } = parts;
  let tracks: readonly TrackReading[] = [];
  let before: readonly Disagreement[] = [];
  const complaints = new Set<string>();

  const pollProcesses = (): void => {
    const vitals = processes.poll();
    const { daemon } = state();
    if (vitals !== undefined && daemon.kind === 'up') dispatch({ kind: 'polled', id: daemon.id, vitals });
  };
  const listen = (): void => {
    for (const words of program.listen()) {
      if (words.kind === 'late') log({ event: 'keepalived-late', level: 'debug', lateMs: words.lateMs });
      else dispatch({ kind: 'log-line', words });
    }
  };
  const pollTrackFiles = (): void => {
    const { configuration, instances, daemon } = state();
    if (configuration === undefined || daemon.kind !== 'up') return;
    const held = new Set(instances.flatMap(({ name, state: now }) => (now === 'MASTER' ? name : [])));
    const readings = program.watchTrackFiles(configuration, (file) =>
      file.instances.some((name) => held.has(name)),
    );
    for (const reading of readings) {
      const previous = tracks.find(({ path }) => path === reading.path);
      if (reading.silent && previous?.silent !== true) {
        const reason = 'the track file is no longer refreshed';
        log({ event: 'monitor-silent', level: 'warn', ...reading, reason });
      }
      if (reading.demoted && previous?.demoted !== true) {
        const reason = 'the monitor is silent, and the URL that it polled does not answer well';
        log({ event: 'node-demoted', level: 'warn', ...reading, reason });
      }
      if (!reading.silent && previous?.silent === true)
        log({ event: 'monitor-back', level: 'info', ...reading });
    }
    tracks = readings;
  };
  const pollAddresses = sharedRun(async (): Promise<void> => {
    const current = disagreementsIn(state());
    const repeated = current.filter((each) => before.some((earlier) => keyOf(earlier) === keyOf(each)));
    before = current;
    if (current.length === 0) complaints.clear();
    if (repeated.length > 0) await repairAll(repeated, parts, complaints);
  });
  const poll = (): void => {
    listen();
    pollProcesses();
    void pollAddresses();
    // Last: a track file that cannot be written must not prevent repairs.
    pollTrackFiles();
  };
  const timer = setInterval(poll, POLL_INTERVAL_MS);
  const stop = (): void => {
    clearInterval(timer);
    listen();
  };
  return { trackFiles: () => tracks, listen, stop };
}

/** The disagreements now; empty while keepalived starts or ends, or while its VIPs are swept. */
function disagreementsIn({ daemon, configuration, instances }: VrrpSupervisorState): readonly Disagreement[] {
  if (configuration === undefined || (daemon.kind !== 'up' && daemon.kind !== 'none')) return [];
  return disagreements(configuration.instances, instances, presentAddresses(), monotonicMs());
}

/** Reads keepalived's dump before any repair: a lost line of the FIFO must not cost a holder its address. */
async function repairAll(
  suspected: readonly Disagreement[],
  { program, state, dispatch, log }: ReconcilerParts,
  complaints: Set<string>,
): Promise<void> {
  const { daemon, configuration } = state();
  if (daemon.kind === 'up' && configuration !== undefined) {
    const askedAt = monotonicMs();
    const report = await program.confirm(daemon.id, configuration, AbortSignal.timeout(CONFIRM_TIMEOUT_MS));
    if (report === undefined) return logOnce('keepalived does not answer', suspected, log, complaints);
    dispatch({ kind: 'reported', askedAt, id: daemon.id, number: configuration.number, report });
  }
  const confirmed = disagreementsIn(state()).filter((each) =>
    suspected.some((it) => keyOf(it) === keyOf(each)),
  );
  for (const each of confirmed) {
    const trouble = await program.repair(each);
    if (trouble === undefined) logRepair(each, log);
    else logOnce(trouble, [each], log, complaints);
  }
}

function logRepair({ kind, instance, state, vip }: Disagreement, log: Log): void {
  const event = kind === 'missing' ? 'vip-restored' : 'stray-vip-removed';
  const reason =
    kind === 'missing'
      ? 'the instance is MASTER, but its address was removed by another program'
      : `the instance is ${state}, but its address was here`;
  log({ event, level: 'warn', instance, vip: vip.address, interface: vip.interface, reason });
}

function logOnce(trouble: string, about: readonly Disagreement[], log: Log, complaints: Set<string>): void {
  const key = `${trouble}/${about.map(keyOf).join()}`;
  if (complaints.has(key)) return;
  complaints.add(key);
  log({ event: 'vip-not-repaired', level: 'error', trouble, vips: about.map(keyOf) });
}

function keyOf({ kind, instance, vip }: Disagreement): string {
  return `${kind} ${instance} ${vip.address}`;
}
