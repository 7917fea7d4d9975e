import type { Pulse } from '../../engine/supervise/pulse.ts';
import type { Restart } from '../../engine/supervise/restart.ts';
import type { Failure, RequestId, SharedAction } from '../../engine/supervise/step.ts';
import type { ProcessId } from '../../engine/system/process/processes.ts';
import type { ConfigChoice } from '../program.ts';
import type { ChangeRequest } from '../runtime/change.ts';
import type { Changes } from '../runtime/execute.ts';
import type { ChangeOutcome, Running } from '../runtime/line.ts';

/** Times are milliseconds of the monotonic clock, which all processes of one boot share. */
export interface State {
  readonly phase: 'running' | 'stopping' | 'stopped';
  readonly limits: Limits;
  readonly nextNumber: number;
  /** The desired and proven generation. Without one, `restart` has the time of the next start. */
  readonly serving: Serving | undefined;
  readonly job: Job | undefined;
  /** Requests that arrived during the job. They lead to exactly one further job. */
  readonly queued: readonly RequestId[];
  /** The runtime change in progress, and the changes that wait for it or for the job. */
  readonly changing: RunningChange | undefined;
  readonly changes: readonly Change[];
  readonly changeCounts: ChangeCounts;
  /** The configuration for which a reload had to repair drift. It is not reloaded again for that. */
  readonly reloadedForDrift: string | undefined;
  readonly retiring: readonly Retiring[];
  /** The last generation that was cut short by a limit on all draining ones. */
  readonly lastCutShort?: { readonly number: number; readonly limit: CutShort; readonly at: number };
  /** When to compare the servers of draining generations with those of the serving one. */
  readonly compareServersAt: number;
  /** While stopping: when to count the requests of draining generations. */
  readonly countRequestsAt: number;
  readonly restart: Restart;
  /** The earliest time for another start while a worker is busy. */
  readonly besideNotBefore: number;
  /** Reloads that are done except for listeners that the previous generation has not closed yet. */
  readonly unanswered: readonly Unanswered[];
  readonly hasLastGood: boolean;
  /** Whether sessions that would have continued were ended after a stop was requested. */
  readonly forced: boolean;
  readonly lastFailure: (Failure & { readonly at: number }) | undefined;
}

export interface Limits {
  /** How long a replaced generation may drain. */
  readonly forceDeleteTimeoutMs: number;
  /** How long everything may drain after a stop was requested. */
  readonly drainTimeoutMs: number;
  /** How long a new generation may take to prove that it serves. Scaled with its configuration's size and number of files. */
  readonly startTimeoutMs: number;
  /** Limits on the number and the resident memory of draining generations. The oldest ones are ended first. */
  readonly mostDraining: number;
  readonly mostDrainingBytes: number;
}

export interface Serving {
  readonly number: number;
  readonly master: ProcessId;
  readonly workers: readonly ProcessId[];
  readonly config: ConfigChoice;
  /** Hash of the file that it was started with. */
  readonly configSha256: string;
  /** The running revision. Undefined if it is unknown, because HAProxy refused a part of a change. */
  readonly revision: string | undefined;
  readonly provenAt: number;
  readonly pulse?: Pulse;
  /** Whether it has used CPU without answering for long enough to start another generation. */
  readonly isBusy?: boolean;
}

interface Unanswered {
  readonly number: number;
  readonly requests: readonly RequestId[];
  readonly served: Served;
}

/** One attempt to make a new generation serve. */
export interface Job {
  readonly cause: 'boot' | 'request' | 'died' | 'hung' | 'busy' | 'retry' | 'drift';
  readonly requests: readonly RequestId[];
  readonly config: ConfigChoice;
  readonly since: number;
  readonly stage:
    | { readonly kind: 'saving-state' }
    | { readonly kind: 'starting'; readonly number: number }
    | {
        readonly kind: 'proving';
        readonly number: number;
        readonly master: ProcessId;
        readonly configSha256: string;
        readonly revision: string;
        readonly timeoutMs: number;
        readonly until: number;
      }
    /** The generation ended before it served. `failure` applies if HAProxy does not refuse the file. */
    | { readonly kind: 'checking'; readonly failure: Failure };
}

/** A change to another configuration without a reload, or back to the desired one. */
export interface Change extends ChangeRequest {
  readonly cause: 'request' | 'drift';
  /** The number of the request, if the change was requested. */
  readonly requests: readonly RequestId[];
}

export interface RunningChange extends Change {
  readonly number: number;
  readonly since: number;
}

/** Counts since the supervisor started. */
interface ChangeCounts {
  readonly made: number;
  readonly repaired: number;
  readonly refused: number;
  readonly lastRefusal: string | undefined;
}

export type RetireReason = 'replaced' | 'unproven' | 'stopping' | 'left-over' | 'hung';

/** What can be signalled of a generation. */
export type Processes = Pick<Serving, 'number' | 'master' | 'workers'>;

/** A generation that is draining, or about to drain. */
export interface Retiring extends Processes {
  readonly reason: RetireReason;
  readonly since: number;
  readonly terminateAt: number;
  /**
   * The last signal. A busy generation gets none and one that stops for good gets notice, and both still accept connections. The soft stop, SIGTERM
   * and SIGKILL follow.
   */
  readonly sent: 'nothing' | 'notice' | 'soft-stop' | 'terminate' | 'kill';
  /** When the soft stop follows. Undefined while a busy generation has not answered. */
  readonly softStopAt?: number;
  /** The limit on all draining generations that shortened its time, if any. */
  readonly cutShort?: CutShort;
  readonly nextShedAt: number;
  readonly pulse?: Pulse;
  readonly isBusy?: boolean;
}

export type CutShort = 'number' | 'memory';

/** The master of a serving worker, or a worker. */
export type Hangs = 'master' | 'worker';

export type Event =
  | { readonly kind: 'booted'; readonly hasConfiguration: boolean }
  | { readonly kind: 'requested'; readonly request: RequestId }
  | { readonly kind: 'change-requested'; readonly request: RequestId; readonly change: ChangeRequest }
  /** The running state no longer matches the served configuration. */
  | { readonly kind: 'drifted'; readonly change: ChangeRequest }
  | { readonly kind: 'changed'; readonly number: number; readonly outcome: ChangeOutcome }
  /** `failure` is undefined if HAProxy does not refuse the file. */
  | { readonly kind: 'checked'; readonly failure: Failure | undefined }
  | { readonly kind: 'state-saved' }
  | {
      readonly kind: 'started';
      readonly number: number;
      readonly master: ProcessId;
      readonly configSha256: string;
      readonly revision: string;
      readonly configBytes: number;
      readonly setFiles: number;
    }
  | { readonly kind: 'start-failed'; readonly number: number; readonly message: string }
  /** `isAlone`: no other generation has listeners. */
  | {
      readonly kind: 'proven';
      readonly number: number;
      readonly workers: readonly ProcessId[];
      readonly isAlone: boolean;
    }
  /** The listeners that this generation did not take over are closed, or waiting for that timed out. */
  | { readonly kind: 'alone'; readonly number: number }
  /** A generation's master has ended. `how` is its exit code or signal. */
  | { readonly kind: 'exited'; readonly number: number; readonly how: string }
  | { readonly kind: 'last-good-kept'; readonly kept: boolean }
  /** A poll of a generation. `hangs` is absent if it answers. */
  | {
      readonly kind: 'polled';
      readonly number: number;
      readonly lives: boolean;
      readonly hangs?: Hangs;
      /** CPU time of its busiest thread since the pending question. Absent if none is pending. */
      readonly busyMs?: number;
    }
  /** The resident memory of the draining generations, keyed by number. */
  | { readonly kind: 'measured'; readonly bytes: ReadonlyMap<number, number> }
  /** Sessions of a draining generation were ended, because its time is over or their servers are lost. */
  | {
      readonly kind: 'sessions-ended';
      readonly number: number;
      readonly ended: number;
      readonly for: 'time' | 'server';
    }
  /** The number of requests in progress in a draining generation. Undefined if its worker does not answer. */
  | { readonly kind: 'requests-counted'; readonly number: number; readonly requests: number | undefined }
  /** `heeded`: the health check fails from now on, so that load balancers and the VIP can move clients away. */
  | { readonly kind: 'notice-given'; readonly number: number; readonly heeded: boolean }
  | { readonly kind: 'tick' }
  | { readonly kind: 'stop' };

export type Action = OwnAction | SharedAction<Served>;

export type OwnAction =
  | { readonly kind: 'check'; readonly config: ConfigChoice }
  | {
      readonly kind: 'change';
      readonly serving: Serving;
      readonly request: Changes;
    }
  | { readonly kind: 'save-state' }
  | {
      readonly kind: 'start';
      readonly number: number;
      readonly config: ConfigChoice;
      readonly takeOver: boolean;
    }
  | {
      readonly kind: 'prove';
      readonly number: number;
      readonly master: ProcessId;
      readonly timeoutMs: number;
    }
  | { readonly kind: 'give-notice'; readonly generation: Retiring; readonly config: ConfigChoice }
  | { readonly kind: 'soft-stop' | 'terminate' | 'kill'; readonly generation: Processes }
  /** Logs the state of processes before they are killed. */
  | {
      readonly kind: 'report-hung';
      readonly generation: Retiring | Serving;
      readonly hangs: Hangs;
      readonly stillMs: number;
    }
  /** Logs the state of processes that continue. */
  | { readonly kind: 'report-busy'; readonly generation: Retiring | Serving; readonly busyMs: number }
  | { readonly kind: 'wait-until-alone'; readonly number: number; readonly timeoutMs: number }
  | { readonly kind: 'shed-sessions'; readonly generation: Retiring; readonly share: number }
  | {
      readonly kind: 'end-sessions-of-lost-servers';
      readonly serving: Serving;
      readonly draining: readonly Retiring[];
    }
  | { readonly kind: 'count-requests'; readonly draining: readonly Retiring[] }
  /** After the end of the master: kills what is left of its workers and removes its socket. A healthy worker ends with its master, a hung one does not. */
  | { readonly kind: 'clean-up'; readonly number: number; readonly workers: readonly ProcessId[] }
  | { readonly kind: 'keep-last-good'; readonly revision: string };

export interface Served {
  readonly generation: number;
  readonly pid: number;
  readonly tookMs: number;
  /** Without a new generation. */
  readonly atRunTime?: true;
  /** Number of Runtime API commands. */
  readonly commands?: number;
}

/** Every known live generation that has proven itself or drains. */
export function generationsIn({ serving, retiring }: State): readonly (Serving | Retiring)[] {
  return [...(serving === undefined ? [] : [serving]), ...retiring];
}

/** A generation in the form that its driver uses. */
export function runningOf({ number, master }: Pick<Serving, 'number' | 'master'>): Running {
  return { generation: number, master };
}
