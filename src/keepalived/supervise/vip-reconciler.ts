import type { Log } from '../../engine/system/log.ts';
import { presentAddresses } from '../../engine/system/network/interface-addresses.ts';
import { monotonicMs } from '../../engine/system/time/monotonic-clock.ts';
import { sharedRun } from '../../engine/system/time/one-at-a-time.ts';
import { type Disagreement, disagreements } from '../vip-presence.ts';
import type { KeepalivedDriver, TrackReading } from '../vrrp-program.ts';
import type { Processes } from './processes.ts';
import type { Event, VrrpSupervisorState } from './state.ts';

/** A repair follows after two looks: a VIP is restored or removed within half a second. */
const LOOK_EVERY_MS = 200;
const ASK_TIMEOUT_MS = 500;

export interface VipReconciler {
  readonly trackFiles: () => readonly TrackReading[];
  /**
   * Dispatches everything that keepalived has reported so far, so that a transition is known before its consequence.
   */
  readonly listen: () => void;
  readonly stop: () => void;
}

interface Surroundings {
  readonly program: KeepalivedDriver;
  readonly processes: Processes;
  readonly state: () => VrrpSupervisorState;
  readonly dispatch: (event: Event) => void;
  readonly log: Log;
}

/**
 * Polls, five times a second and without a child process, what no event reports: whether each VIP is in its place,
 * whether the monitor is alive, and whether keepalived's processes live.
 */
export function startVipReconciler(surroundings: Surroundings): VipReconciler {
  const { program, processes, state, dispatch, log } = surroundings;
  let tracks: readonly TrackReading[] = [];
  let before: readonly Disagreement[] = [];
  const complaints = new Set<string>();

  const lookAtProcesses = (): void => {
    const vitals = processes.look();
    const { daemon } = state();
    if (vitals !== undefined && daemon.kind === 'up') dispatch({ kind: 'looked', id: daemon.id, vitals });
  };
  const listen = (): void => {
    for (const words of program.listen()) {
      if (words.kind === 'late') log({ event: 'keepalived-late', level: 'debug', lateMs: words.lateMs });
      else dispatch({ kind: 'said', words });
    }
  };
  const lookAtTracks = (): void => {
    const { configuration, instances, daemon } = state();
    if (configuration === undefined || daemon.kind !== 'up') return;
    const held = new Set(instances.flatMap(({ name, state: now }) => (now === 'MASTER' ? name : [])));
    const looks = program.watchTrackFiles(configuration, (file) =>
      file.instances.some((name) => held.has(name)),
    );
    for (const look of looks) {
      const known = tracks.find(({ path }) => path === look.path);
      if (look.silent && known?.silent !== true) {
        const reason = 'the track file is no longer refreshed';
        log({ event: 'monitor-silent', level: 'warn', ...look, reason });
      }
      if (look.demoted && known?.demoted !== true) {
        const reason = 'the monitor is silent, and the URL that it polled does not answer well';
        log({ event: 'node-demoted', level: 'warn', ...look, reason });
      }
      if (!look.silent && known?.silent === true) log({ event: 'monitor-back', level: 'info', ...look });
    }
    tracks = looks;
  };
  const lookAtAddresses = sharedRun(async (): Promise<void> => {
    const found = lookOnce(state());
    const again = found.filter((each) => before.some((earlier) => keyOf(earlier) === keyOf(each)));
    before = found;
    if (found.length === 0) complaints.clear();
    if (again.length > 0) await repairAll(again, surroundings, complaints);
  });
  const look = (): void => {
    listen();
    lookAtProcesses();
    lookAtTracks();
    void lookAtAddresses();
  };
  const timer = setInterval(look, LOOK_EVERY_MS);
  const stop = (): void => {
    clearInterval(timer);
    listen();
  };
  return { trackFiles: () => tracks, listen, stop };
}

/** Compares nothing while keepalived starts or ends, or while its VIPs are swept. */
function lookOnce({ daemon, configuration, instances }: VrrpSupervisorState): readonly Disagreement[] {
  if (configuration === undefined || (daemon.kind !== 'up' && daemon.kind !== 'none')) return [];
  return disagreements(configuration.instances, instances, presentAddresses(), monotonicMs());
}

/** Asks keepalived first: a lost line of its FIFO must not cost a holder its address. */
async function repairAll(
  suspected: readonly Disagreement[],
  { program, state, dispatch, log }: Surroundings,
  complaints: Set<string>,
): Promise<void> {
  const { daemon, configuration } = state();
  if (daemon.kind === 'up' && configuration !== undefined) {
    const report = await program.confirm(daemon.id, configuration, AbortSignal.timeout(ASK_TIMEOUT_MS));
    if (report === undefined) return logOnce('keepalived does not answer', suspected, log, complaints);
    dispatch({ kind: 'reported', id: daemon.id, number: configuration.number, report });
  }
  const still = lookOnce(state()).filter((each) => suspected.some((it) => keyOf(it) === keyOf(each)));
  for (const each of still) {
    const trouble = await program.repair(each);
    if (trouble === undefined) logRepair(each, log);
    else logOnce(trouble, [each], log, complaints);
  }
}

function logRepair({ kind, instance, state, vip }: Disagreement, log: Log): void {
  const event = kind === 'missing' ? 'vip-put-back' : 'stray-vip-removed';
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
