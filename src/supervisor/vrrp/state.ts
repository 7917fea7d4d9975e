import type { ProcessId } from '../../model/process-id.ts';
import type { InstanceState, VrrpState } from '../../model/vip-presence.ts';
import type { AcceptedConfiguration, SelfReport, TransitionWords } from '../../model/vrrp-program.ts';
import type { Pulse as SharedPulse } from '../pulse.ts';

/** Times are milliseconds of the monotonic clock. */
export interface VrrpSupervisorState {
  readonly phase: 'running' | 'stopping' | 'stopped';
  /** What was asked for; `left` is down until the next configuration. What is, is `daemon`. */
  readonly wanted: 'up' | 'down' | 'left';
  readonly daemon: Daemon;
  /** What keepalived runs on, or would be started with. */
  readonly configuration: AcceptedConfiguration | undefined;
  readonly instances: readonly InstanceState[];
  readonly job: Job | undefined;
  /** The number of the last check: the outcome of an earlier one, whose job was given up, counts no more. */
  readonly checks: number;
  /** Requests that came during the job; they lead to exactly one more. */
  readonly queued: readonly RequestId[];
  /** Requests that are answered once nothing runs and no VIP is left. */
  readonly stopping: readonly RequestId[];
  readonly restart: { readonly failures: number; readonly at: number | undefined };
  /** How often it was started after a death. */
  readonly restarts: number;
  readonly lastTransition: Transition | undefined;
  /** The last few, the newest at the end. */
  readonly said: readonly Said[];
  readonly lastFailure: (Failure & { readonly at: number }) | undefined;
}

export type RequestId = number;

/**
 * `stop` ends keepalived until `start`. `leave` ends it until the next `reload` or `start`: the node is no member of its
 * group any more, and comes up by itself once it is one again.
 */
export type VrrpRequest = 'reload' | 'start' | 'stop' | 'leave';

export interface Said {
  readonly words: TransitionWords;
  readonly at: number;
}

export type Daemon =
  /** Nothing runs, and no VIP was left behind. */
  | { readonly kind: 'none' }
  /** Started, and has told of no state yet: a signal might end it. */
  | { readonly kind: 'starting'; readonly id: ProcessId; readonly since: number; readonly until: number }
  | { readonly kind: 'up'; readonly id: ProcessId; readonly since: number; readonly pulse?: Pulse }
  | { readonly kind: 'leaving'; readonly id: ProcessId; readonly killAt: number; readonly killed: boolean }
  /** Gone. What is left of its processes ends first, then, not before `sweepAt`, the VIPs that it left are removed. */
  | {
      readonly kind: 'dead';
      readonly stage: 'burying' | 'waiting' | 'sweeping';
      readonly sweepAt: number;
    };

/** What can be seen of its processes from outside. */
export interface Vitals {
  /** How often its VRRP process was given a processor so far. */
  readonly switches: number;
  /**
   * It would run if it were let: it waits for a processor, or inside the kernel. The latter for a lock of the network,
   * which a starved process held, was seen to last 3 s.
   */
  readonly starved: boolean;
  /** Somebody has stopped it: SIGSTOP, a debugger. */
  readonly stopped: boolean;
}

/** `switches` as in the last look. */
export interface Pulse extends SharedPulse {
  readonly switches: number;
}

/** One attempt to get keepalived to run on a configuration. */
export interface Job {
  readonly cause: 'boot' | 'request' | 'died' | 'retry' | 'start' | 'fallback';
  readonly requests: readonly RequestId[];
  readonly since: number;
  /** `pending` waits until nothing of an earlier keepalived is left. */
  readonly stage: 'checking' | 'pending' | 'starting' | 'reloading';
}

export interface Failure {
  readonly stage: 'check' | 'start' | 'prove' | 'stop';
  readonly message: string;
  readonly detail?: string;
}

export interface Transition {
  readonly instance: string;
  readonly from: VrrpState;
  readonly to: VrrpState;
  readonly priority: number;
  readonly reason: string;
  readonly at: number;
}

export type Event =
  /** `adopted` is a keepalived that an earlier supervisor started; it goes on. */
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
  /** It shows that it runs on configuration `number`. */
  | {
      readonly kind: 'reported';
      readonly id: ProcessId;
      readonly number: number;
      readonly report: SelfReport;
    }
  | { readonly kind: 'not-confirmed'; readonly id: ProcessId }
  | {
      readonly kind: 'told';
      readonly instance: string;
      /** Undefined where only the priority is another one: keepalived calls every state but MASTER "BACKUP" then. */
      readonly state: VrrpState | undefined;
      readonly priority: number;
      readonly trackValue: number | undefined;
    }
  | { readonly kind: 'said'; readonly words: TransitionWords }
  | { readonly kind: 'looked'; readonly id: ProcessId; readonly vitals: Vitals }
  /** Something of it was still alive when it was to be killed. */
  | { readonly kind: 'killed'; readonly id: ProcessId }
  | { readonly kind: 'exited'; readonly id: ProcessId; readonly how: string }
  | { readonly kind: 'buried' }
  | { readonly kind: 'swept'; readonly removed: readonly string[]; readonly trouble: string | undefined }
  | { readonly kind: 'tick' }
  | { readonly kind: 'stop' };

export type Action =
  | { readonly kind: 'check'; readonly check: number }
  | { readonly kind: 'start' }
  /** `reload` tells it to read the configuration, both ask what it runs on. */
  | {
      readonly kind: 'reload' | 'ask';
      readonly id: ProcessId;
      readonly configuration: AcceptedConfiguration;
    }
  /** `nudge` wakes a VRRP process that is well, and does nothing else. */
  | { readonly kind: 'terminate' | 'kill' | 'nudge'; readonly id: ProcessId }
  | { readonly kind: 'bury' }
  | { readonly kind: 'sweep' }
  /** What the kernel keeps back until it knows where to send it. */
  | { readonly kind: 'discard-unsent'; readonly interfaces: readonly string[] }
  | { readonly kind: 'answer'; readonly requests: readonly RequestId[]; readonly result: Done | Failure }
  | {
      readonly kind: 'log';
      readonly level: 'info' | 'warn' | 'error';
      readonly event: string;
      readonly fields: object;
    }
  | { readonly kind: 'finish' };

/** `generation` is the number of the accepted configuration. */
export interface Done {
  readonly generation?: number;
  readonly pid?: number;
  readonly tookMs?: number;
}

/** The state of a supervisor that has looked at nothing yet: what may be left of an earlier keepalived is buried first. */
export function initialState(configuration: AcceptedConfiguration | undefined): VrrpSupervisorState {
  return {
    phase: 'running',
    wanted: 'up',
    daemon: { kind: 'dead', stage: 'burying', sweepAt: 0 },
    configuration,
    instances: [],
    job: undefined,
    checks: 0,
    queued: [],
    stopping: [],
    restart: { failures: 0, at: undefined },
    restarts: 0,
    lastTransition: undefined,
    said: [],
    lastFailure: undefined,
  };
}
