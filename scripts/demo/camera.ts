import { setTimeout as pause } from 'node:timers/promises';
import { monotonicMs } from '../../src/engine/system/time/monotonic-clock.ts';
import type { SupervisorStatus } from '../../src/haproxy/supervise/supervisor-status.ts';
import { shownGenerations } from './generations.ts';
import type { DemoEvent, Frame } from './scene.ts';
import type { Screen } from './screen.ts';
import { REQUESTS_PER_SECOND, type Traffic } from './traffic.ts';

const LOOK_EVERY_MS = 200;
const KEPT_EVENTS = 20;

/** Turns what happens on a stage into frames for the screen. */
export interface Camera<St> {
  readonly event: (text: string) => void;
  readonly setRound: (round: number) => void;
  readonly setStep: (step: { readonly number: number; readonly of: number; readonly title: string }) => void;
  /** Polls and shows until `signal` aborts. */
  readonly film: (stage: St, signal: AbortSignal) => Promise<void>;
}

/** One poll of a stage. Reports changes since the previous poll as events, and adds its observations to a frame. */
export type Lens<St, S extends Frame> = (
  stage: St,
  event: (text: string) => void,
) => Promise<{
  readonly supervisor: SupervisorStatus | undefined;
  readonly complete: (frame: Frame) => S;
}>;

export function createCamera<St extends { readonly traffic: Traffic }, S extends Frame>(
  screen: Screen<S>,
  lens: Lens<St, S>,
): Camera<St> {
  const startedMs = monotonicMs();
  let events: readonly DemoEvent[] = [];
  let step: { readonly number: number; readonly of: number; readonly title: string } | undefined;
  let stepSinceMs = startedMs;
  let round = 1;

  const event = (text: string) => {
    const next = { atMs: monotonicMs() - startedMs, text };
    events = [...events.slice(1 - KEPT_EVENTS), next];
    screen.event(next);
  };
  const frame = ({ traffic }: St, supervisor: SupervisorStatus | undefined): Frame => ({
    elapsedMs: monotonicMs() - startedMs,
    round,
    step: step === undefined ? undefined : { ...step, sinceMs: monotonicMs() - stepSinceMs },
    generations: shownGenerations(supervisor),
    counts: traffic.counts(),
    perSecond: REQUESTS_PER_SECOND,
    slowestMs: traffic.recent().slowestMs,
    events,
  });
  return {
    event,
    setRound: (number) => {
      round = number;
    },
    setStep: (next) => {
      step = next;
      stepSinceMs = monotonicMs();
      event(`step ${next.number} of ${next.of}: ${next.title}`);
    },
    film: async (stage, signal) => {
      while (!signal.aborted) {
        const { supervisor, complete } = await lens(stage, event);
        screen.show(complete(frame(stage, supervisor)));
        await pause(LOOK_EVERY_MS, undefined, { signal }).catch(() => undefined);
      }
    },
  };
}
