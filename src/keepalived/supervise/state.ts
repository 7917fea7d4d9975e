import type { Pulse as SharedPulse } from '../../engine/supervise/pulse.ts';
import { noRestart, type Restart } from '../../engine/supervise/restart.ts';
import type { Failure, RequestId, SharedAction } from '../../engine/supervise/step.ts';
import type { ProcessId } from '../../engine/system/process/processes.ts';
import type { InstanceState, VrrpState } from '../vip-presence.ts';
import type { AcceptedConfiguration, SelfReport, TransitionWords } from '../vrrp-program.ts';

/** The complete state of the supervisor. Times are milliseconds of the monotonic clock. */
export interface VrrpSupervisorState {
  readonly phase: 'running' | 'stopping' | 'stopped';
  /** The requested state. The actual state is `daemon`. */
  readonly wanted: 'up' | 'down';
  readonly daemon: Daemon;
  /** The configuration that keepalived runs, or would be started with. */
  readonly configuration: AcceptedConfiguration | undefined;
  /** The last configuration with which keepalived has run. Its copy is kept until the next one has succeeded. */
  readonly lastGood: AcceptedConfiguration | undefined;
  /** The last configuration that ended keepalived, and how often. After the second time it is refused for ten minutes. */
  readonly deadly: { readonly sha256: string; readonly times: number; readonly at: number } | undefined;
  readonly instances: readonly InstanceState[];
  /** When the last line of the notify FIFO about each instance was read. */
  readonly notifiedAt: ReadonlyMap<string, number>;
  readonly job: Job | undefined;
  /** The number of the last check. The outcome of an earlier check, whose job was abandoned, is ignored. */
  readonly checks: number;
  /** Requests that arrived during the job. They lead to exactly one further job. */
  readonly queued: readonly RequestId[];
  /** Requests that are answered once no process and no VIP is left. */
  readonly stopping: readonly RequestId[];
  readonly restart: Restart;
  /** How often keepalived was restarted after a death. */
  readonly restarts: number;
  readonly lastTransition: Transition | undefined;
  /** The latest parsed lines of keepalived's log, the newest last. */
  readonly logged: readonly { readonly words: TransitionWords; readonly at: number }[];
  readonly lastFailure: (Failure & { readonly at: number }) | undefined;
}

/** `stop` ends keepalived until `start`. */
export type VrrpRequest = 'reload' | 'start' | 'stop';

export type Daemon =
  /** No process runs, and no VIP is left on this node. */
  | { readonly kind: 'none' }
  /** Started, but has not reported a state yet: a signal might end it. */
  | { readonly kind: 'starting'; readonly id: ProcessId; readonly since: number; readonly until: number }
  | { readonly kind: 'up'; readonly id: ProcessId; readonly since: number; readonly pulse?: Pulse }
  | { readonly kind: 'leaving'; readonly id: ProcessId; readonly killAt: number; readonly killed: boolean }
  /** Dead. Its remaining processes are reaped first. Then, not before `sweepAt`, its VIPs are removed. */
  | {
      readonly kind: 'dead';
      readonly stage: 'reaping' | 'waiting' | 'sweeping';
      readonly sweepAt: number;
      /** Why the last attempt to remove its VIPs failed. */
      readonly trouble?: string;
    };

/** The state of keepalived's processes, as the kernel reports it. */
export interface Vitals {
  /** How often the VRRP process has been scheduled so far. */
  readonly switches: number;
  /**
   * The VRRP process is runnable, but waits for a processor or inside the kernel. A wait of 3 s was observed for a network lock that
   * a starved process held.
   */
  readonly starved: boolean;
  /** A process was stopped by SIGSTOP or a debugger. */
  readonly stopped: boolean;
}

/** `switches`: the count at the last poll. */
export interface Pulse extends SharedPulse {
  readonly switches: number;
}

/** One attempt to make keepalived run a configuration. */
export interface Job {
  readonly cause: 'boot' | 'request' | 'died' | 'retry' | 'start' | 'fallback';
  readonly requests: readonly RequestId[];
  readonly since: number;
  /** `pending` waits until nothing of an earlier keepalived is left. */
  readonly stage: 'checking' | 'pending' | 'starting' | 'reloading';
}

interface Transition {
  readonly instance: string;
  readonly from: VrrpState;
  readonly to: VrrpState;
  readonly priority: number;
  readonly reason: string;
  readonly at: number;
}

export type Event =
  /** `adopted` is a running keepalived that an earlier supervisor started. */
  | { readonly kind: 'booted'; readonly hasConfiguration: boolean; readonly adopted: ProcessId | undefined }
  | { readonly kind: 'requested'; readonly what: VrrpRequest; readonly request: RequestId }
  | {
      readonly kind: 'accepted';
      readonly check: number;
      readonly configuration: AcceptedConfiguration;
    }
  /** keepalived refused the configuration, or there is no verdict (stage `unchecked`). */
  | { readonly kind: 'refused'; readonly check: number; readonly failure: Failure }
  | { readonly kind: 'started'; readonly id: ProcessId }
  | { readonly kind: 'start-failed'; readonly message: string }
  /** keepalived's dump, requested at `askedAt` or later, shows that it runs configuration `number`. */
  | {
      readonly kind: 'reported';
      readonly askedAt: number;
      readonly id: ProcessId;
      readonly number: number;
      readonly report: SelfReport;
    }
  | { readonly kind: 'not-confirmed'; readonly id: ProcessId }
  | {
      readonly kind: 'notified';
      readonly instance: string;
      /** Undefined if only the priority changed: keepalived then reports every state but MASTER as "BACKUP". */
      readonly state: VrrpState | undefined;
      readonly priority: number;
      readonly trackValue: number | undefined;
    }
  | { readonly kind: 'log-line'; readonly words: TransitionWords }
  | { readonly kind: 'polled'; readonly id: ProcessId; readonly vitals: Vitals }
  /** At least one of its processes was still alive when it was killed. */
  | { readonly kind: 'killed'; readonly id: ProcessId }
  | { readonly kind: 'exited'; readonly id: ProcessId; readonly how: string }
  | { readonly kind: 'reaped' }
  | { readonly kind: 'swept'; readonly removed: readonly string[]; readonly trouble: string | undefined }
  | { readonly kind: 'tick' }
  | { readonly kind: 'stop' };

export type EventOf<Kind extends Event['kind']> = Extract<Event, { kind: Kind }>;

export type Action = OwnAction | SharedAction<Done>;

export type OwnAction =
  | { readonly kind: 'check'; readonly check: number; readonly refusedHash: string | undefined }
  | { readonly kind: 'start'; readonly configuration: AcceptedConfiguration }
  | { readonly kind: 'keep-last-good' }
  /** `reload` makes keepalived read the configuration. Both request a dump, which shows the configuration that it runs. */
  | {
      readonly kind: 'reload' | 'ask';
      readonly id: ProcessId;
      readonly configuration: AcceptedConfiguration;
    }
  /** `wake` wakes a sleeping VRRP process, and has no other effect. */
  | { readonly kind: 'terminate' | 'kill' | 'wake'; readonly id: ProcessId }
  | { readonly kind: 'reap' }
  | { readonly kind: 'sweep' }
  /** Discards packets that the kernel queues until it has the MAC of their destination. */
  | { readonly kind: 'discard-unsent'; readonly interfaces: readonly string[] };

/** `generation` is the number of the accepted configuration. */
export interface Done {
  readonly generation?: number;
  readonly pid?: number;
  readonly tookMs?: number;
}

/** The state of a new supervisor, which first ends what an earlier keepalived left. */
export function initialState(
  configuration: AcceptedConfiguration | undefined,
  lastGood?: AcceptedConfiguration,
): VrrpSupervisorState {
  return {
    phase: 'running',
    wanted: 'up',
    daemon: { kind: 'dead', stage: 'reaping', sweepAt: 0 },
    configuration,
    lastGood,
    deadly: undefined,
    instances: [],
    notifiedAt: new Map(),
    job: undefined,
    checks: 0,
    queued: [],
    stopping: [],
    restart: noRestart,
    restarts: 0,
    lastTransition: undefined,
    logged: [],
    lastFailure: undefined,
  };
}
