import type { Pulse as SharedPulse } from '../../engine/supervise/pulse.ts';
import { noRestart, type Restart } from '../../engine/supervise/restart.ts';
import type { Failure, RequestId, SharedAction } from '../../engine/supervise/step.ts';
import type { ProcessId } from '../../engine/system/process/processes.ts';
import type { InstanceState, VrrpState } from '../vip-presence.ts';
import type { AcceptedConfiguration, SelfReport, TransitionWords } from '../vrrp-program.ts';

/** Times are milliseconds of the monotonic clock. */
export interface VrrpSupervisorState {
  readonly phase: 'running' | 'stopping' | 'stopped';
  /** The requested state. The actual state is `daemon`. */
  readonly wanted: 'up' | 'down';
  readonly daemon: Daemon;
  /** The configuration that keepalived runs on, or would start with. */
  readonly configuration: AcceptedConfiguration | undefined;
  readonly instances: readonly InstanceState[];
  readonly job: Job | undefined;
  /** The number of the last check. The outcome of an earlier check, whose job was given up, is ignored. */
  readonly checks: number;
  /** Requests that came during the job; they lead to exactly one further job. */
  readonly queued: readonly RequestId[];
  /** Requests that are answered once no process and no VIP is left. */
  readonly stopping: readonly RequestId[];
  readonly restart: Restart;
  /** How often keepalived was restarted after a death. */
  readonly restarts: number;
  readonly lastTransition: Transition | undefined;
  /** The latest messages, the newest last. */
  readonly said: readonly { readonly words: TransitionWords; readonly at: number }[];
  readonly lastFailure: (Failure & { readonly at: number }) | undefined;
}

/** `stop` ends keepalived until `start`. */
export type VrrpRequest = 'reload' | 'start' | 'stop';

export type Daemon =
  /** No process runs, and no VIP was left. */
  | { readonly kind: 'none' }
  /** Started, but has not reported a state yet: a signal might end it. */
  | { readonly kind: 'starting'; readonly id: ProcessId; readonly since: number; readonly until: number }
  | { readonly kind: 'up'; readonly id: ProcessId; readonly since: number; readonly pulse?: Pulse }
  | { readonly kind: 'leaving'; readonly id: ProcessId; readonly killAt: number; readonly killed: boolean }
  /** Dead. Its remaining processes end first. Then, not before `sweepAt`, its VIPs are removed. */
  | {
      readonly kind: 'dead';
      readonly stage: 'reaping' | 'waiting' | 'sweeping';
      readonly sweepAt: number;
    };

/** What is visible of its processes from outside. */
export interface Vitals {
  /** How often its VRRP process has been scheduled so far. */
  readonly switches: number;
  /**
   * It is runnable, but waits for a processor or inside the kernel. A wait of 3 s was seen for a network lock that a
   * starved process held.
   */
  readonly starved: boolean;
  /** It was stopped by SIGSTOP or a debugger. */
  readonly stopped: boolean;
}

/** `switches` at the last look. */
export interface Pulse extends SharedPulse {
  readonly switches: number;
}

/** One attempt to make keepalived run on a configuration. */
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
  | { readonly kind: 'refused'; readonly check: number; readonly failure: Failure }
  | { readonly kind: 'started'; readonly id: ProcessId }
  | { readonly kind: 'start-failed'; readonly message: string }
  /** It has shown that it runs on configuration `number`. */
  | {
      readonly kind: 'reported';
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
  | { readonly kind: 'said'; readonly words: TransitionWords }
  | { readonly kind: 'looked'; readonly id: ProcessId; readonly vitals: Vitals }
  /** Part of it was still alive when it was killed. */
  | { readonly kind: 'killed'; readonly id: ProcessId }
  | { readonly kind: 'exited'; readonly id: ProcessId; readonly how: string }
  | { readonly kind: 'reaped' }
  | { readonly kind: 'swept'; readonly removed: readonly string[]; readonly trouble: string | undefined }
  | { readonly kind: 'tick' }
  | { readonly kind: 'stop' };

export type EventOf<Kind extends Event['kind']> = Extract<Event, { kind: Kind }>;

export type Action = OwnAction | SharedAction<Done>;

export type OwnAction =
  | { readonly kind: 'check'; readonly check: number }
  | { readonly kind: 'start' }
  /** `reload` makes it read the configuration; both ask which one it runs on. */
  | {
      readonly kind: 'reload' | 'ask';
      readonly id: ProcessId;
      readonly configuration: AcceptedConfiguration;
    }
  /** `wake` wakes a healthy VRRP process, and does nothing else. */
  | { readonly kind: 'terminate' | 'kill' | 'wake'; readonly id: ProcessId }
  | { readonly kind: 'reap' }
  | { readonly kind: 'sweep' }
  /** Packets that the kernel holds until it knows where to send them. */
  | { readonly kind: 'discard-unsent'; readonly interfaces: readonly string[] };

/** `generation` is the number of the accepted configuration. */
export interface Done {
  readonly generation?: number;
  readonly pid?: number;
  readonly tookMs?: number;
}

/** The state of a new supervisor: remains of an earlier keepalived are ended first. */
export function initialState(configuration: AcceptedConfiguration | undefined): VrrpSupervisorState {
  return {
    phase: 'running',
    wanted: 'up',
    daemon: { kind: 'dead', stage: 'reaping', sweepAt: 0 },
    configuration,
    instances: [],
    job: undefined,
    checks: 0,
    queued: [],
    stopping: [],
    restart: noRestart,
    restarts: 0,
    lastTransition: undefined,
    said: [],
    lastFailure: undefined,
  };
}
