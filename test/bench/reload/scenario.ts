import { setTimeout as delay } from 'node:timers/promises';
import type { ConfigurationKind } from './configuration.ts';
import type { Figures, Targets } from './figures.ts';
import type { Host } from './host.ts';

/** What a scenario gets to measure one subject. */
export interface Bench {
  /** Sizes to try the harness with, not to quote. */
  readonly quick: boolean;
  /** A fresh machine; the scenario disposes of it. */
  openHost(configuration?: ConfigurationKind): Promise<Host>;
  /** Rejects when the bench is being stopped. */
  pause(durationMs: number): Promise<void>;
}

export interface Scenario {
  readonly name: string;
  /** A line for people. */
  readonly about: string;
  /** From the project's own promises; missing one is printed and never makes it lower. */
  readonly targets: Targets;
  run(bench: Bench): Promise<Figures>;
}

export function pauseUntilStopped(signal: AbortSignal): Bench['pause'] {
  return async (durationMs) => {
    await delay(Math.max(0, durationMs), undefined, { signal });
  };
}
