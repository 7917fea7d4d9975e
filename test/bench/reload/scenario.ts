import { setTimeout as delay } from 'node:timers/promises';
import type { ConfigurationKind } from './configuration.ts';
import type { Figures, Targets } from './figures.ts';
import type { Host } from './host.ts';

/** What a scenario uses to measure one subject. */
export interface Bench {
  /** Small sizes to try out the harness, not to quote. */
  readonly quick: boolean;
  /** A fresh machine; the scenario disposes of it. */
  openHost(configuration?: ConfigurationKind): Promise<Host>;
  /** Rejects if the bench is being stopped. */
  pause(durationMs: number): Promise<void>;
}

export interface Scenario {
  readonly name: string;
  /** One-line description. */
  readonly about: string;
  /** From the project's own promises. A missed target is reported, never lowered. */
  readonly targets: Targets;
  run(bench: Bench): Promise<Figures>;
}

export function pauseUntilStopped(signal: AbortSignal): Bench['pause'] {
  return async (durationMs) => {
    await delay(Math.max(0, durationMs), undefined, { signal });
  };
}
