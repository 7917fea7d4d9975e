import type { Answer } from '../../engine/control/answer.ts';
import { withTrouble } from '../../engine/supervise/describe-shared.ts';
import type { Decisions } from '../../engine/supervise/engine.ts';
import { ACTION_LIMIT_MS, createSupervision, endOfAdopted } from '../../engine/supervise/supervision.ts';
import type { Log } from '../../engine/system/log.ts';
import { presentAddresses } from '../../engine/system/network/interface-addresses.ts';
import { monotonicMs } from '../../engine/system/time/monotonic-clock.ts';
import type { VrrpState } from '../vip-presence.ts';
import type { KeepalivedDriver, Notification } from '../vrrp-program.ts';
import { createStateFile } from '../vrrp-state-file.ts';
import { act, outcomeOfFailed } from './act.ts';
import { advance, nextDeadline } from './advance.ts';
import { createProcesses } from './processes.ts';
import {
  type Action,
  type Event,
  initialState,
  type VrrpRequest,
  type VrrpSupervisorState,
} from './state.ts';
import { describeState } from './status.ts';
import { startVipReconciler, type VipReconciler } from './vip-reconciler.ts';
import type { VrrpStatus } from './vrrp-status.ts';

interface VrrpSupervisorOptions {
  readonly program: KeepalivedDriver;
  /** The file with the pids and start times of all supervised processes. */
  readonly recordPath: string;
  readonly statePath: string;
  readonly log: Log;
}

export interface VrrpSupervisor {
  /** Resolves once the request has succeeded or failed. */
  readonly request: (what: VrrpRequest) => Promise<Answer>;
  readonly status: () => VrrpStatus;
  /** Handles a line of the notify FIFO. */
  readonly notified: (notification: Notification) => void;
  /** Undefined while every due deadline is handled. */
  readonly trouble: () => string | undefined;
  /** The first call makes keepalived resign; a second one kills it. */
  readonly stop: () => void;
  /** Resolves once no process runs and no VIP is left. */
  readonly finished: Promise<void>;
}

const decisions: Decisions<VrrpSupervisorState, Event, Action> = {
  advance,
  nextDeadline,
  tick: { kind: 'tick' },
  limitMs: () => ACTION_LIMIT_MS,
};

/**
 * Keeps keepalived running until it is stopped. Adopts the keepalived of an earlier supervisor, so that the VIP stays and there is never
 * a second process. Otherwise removes the VIPs that were left, and starts keepalived.
 */
export function createVrrpSupervisor(options: VrrpSupervisorOptions): VrrpSupervisor {
  const { program, log } = options;
  const processes = createProcesses(options.recordPath, log);
  const stateFile = createStateFile(options.statePath, log);
  const first = initialState(program.lastAccepted(), program.lastGood());
  const adopted = processes.leftOver() ?? program.findLeftOver();
  let awaitsReport = adopted !== undefined;
  const { ask, dispatch, state, trouble, finished } = createSupervision(first, decisions, {
    log,
    keep: ({ daemon, instances }) => {
      // An adopted keepalived has not reported yet. The file of its last supervisor still holds.
      if (awaitsReport && daemon.kind === 'up' && instances.length === 0) return;
      awaitsReport = false;
      stateFile.write(instances, monotonicMs());
    },
    act: (action, dispatch) => act(action, { program, processes, log, dispatch }),
    outcomeOfFailed,
  });
  if (adopted !== undefined) {
    processes.started(adopted);
    processes.poll();
    void endOfAdopted(adopted).then((how) => dispatch({ kind: 'exited', id: adopted, how }));
  }
  dispatch({ kind: 'booted', hasConfiguration: program.hasConfiguration(), adopted });
  const reconciler = startVipReconciler({ program, processes, log, state, dispatch });
  void finished.then(() => {
    reconciler.stop();
    stateFile.remove();
  });
  return {
    request: (what) => ask((request) => ({ kind: 'requested', what, request })),
    status: () => {
      const seen = { present: presentAddresses(), trackFiles: reconciler.trackFiles() };
      return withTrouble(describeState(state(), seen, monotonicMs()), trouble());
    },
    trouble,
    notified: (notification) => dispatchNotification(notification, dispatch, reconciler, log),
    stop: () => dispatch({ kind: 'stop' }),
    finished,
  };
}

function dispatchNotification(
  { name, what, priority }: Notification,
  dispatch: (event: Event) => void,
  reconciler: VipReconciler,
  log: Log,
): void {
  reconciler.listen();
  const state = stateOf(what);
  const trackValue = reconciler.trackFiles().find(({ instances }) => instances.includes(name))?.value;
  if (state !== undefined || /^(?:MASTER|BACKUP)_PRIORITY$/.test(what))
    dispatch({ kind: 'notified', instance: name, state, priority, trackValue });
  // keepalived heard a second holder of lower priority: the surest sign of a split brain.
  if (what === 'MASTER_RX_LOWER_PRI')
    log({ event: 'lower-priority-advert-received', level: 'error', instance: name, priority });
}

function stateOf(what: string): VrrpState | undefined {
  return what === 'MASTER' || what === 'BACKUP' || what === 'FAULT' || what === 'STOP' ? what : undefined;
}
