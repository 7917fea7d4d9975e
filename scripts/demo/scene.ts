import type { Counts } from './tally.ts';

/** The content of every live view at one moment. Times are milliseconds. */
export interface Frame {
  readonly elapsedMs: number;
  readonly round: number;
  readonly step: ShownStep | undefined;
  readonly generations: readonly ShownGeneration[];
  readonly counts: Counts;
  readonly perSecond: number;
  readonly slowestMs: number;
  /** Oldest first. */
  readonly events: readonly DemoEvent[];
}

/** The same for the API load balancer. */
export interface Scene extends Frame {
  readonly servers: readonly ShownServer[];
  readonly redirect: boolean;
  /** `10.0.0.1:6443 -> 9445`. */
  readonly redirectText: string;
  readonly pageUrl: string;
}

export interface ShownStep {
  readonly number: number;
  readonly of: number;
  readonly title: string;
  readonly sinceMs: number;
}

export interface ShownServer {
  readonly name: string;
  readonly address: string;
  /** Whether its process is running, regardless of what hawser reports. */
  readonly running: boolean;
  /** HAProxy's status text, or `not configured` if it does not have the server. */
  readonly status: string;
  readonly check: string;
  /** Its share of recent answers, 0 to 1. */
  readonly share: number;
}

export interface ShownGeneration {
  readonly number: number;
  readonly pid: number;
  readonly state: string;
  readonly ageMs: number;
  readonly sessions: number | undefined;
  readonly note: string;
}

export interface DemoEvent {
  readonly atMs: number;
  readonly text: string;
}
