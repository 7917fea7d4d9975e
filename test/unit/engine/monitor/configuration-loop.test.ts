import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { Applier } from '../../../../src/engine/apply/applier.ts';
import type { ApplyOutcome } from '../../../../src/engine/apply/apply-outcome.ts';
import { runConfigurationLoop } from '../../../../src/engine/monitor/configuration-loop.ts';

const CHECK_INTERVAL_MS = 6_000;

/**
 * When the loop applies, in milliseconds of a clock that stands still while nothing sleeps. A timer ends when its whole
 * milliseconds are over, as in Node, or at one of `wakesAt`.
 */
async function attemptTimes(
  untilMs: number,
  facts: {
    readonly wakesAt?: readonly number[];
    readonly tookMs?: number;
    readonly text?: (nowMs: number) => string | undefined;
    /** Another file of the set. */
    readonly map?: (nowMs: number) => string;
    readonly outcome?: (nowMs: number) => ApplyOutcome;
    /** The verdict after the runtime update. */
    readonly verdict?: ApplyOutcome | 'pending';
    /** Every configuration is a part, and the rest follows this much later. */
    readonly restInMs?: number;
    /** How long each rendering takes, and until when it is held back. */
    readonly renderMs?: number;
    readonly heldUntilMs?: number;
    /** While it is held back, a part of it need not be. */
    readonly isPart?: (nowMs: number) => boolean;
    readonly onRender?: (nowMs: number) => void;
  } = {},
): Promise<readonly number[]> {
  const { wakesAt = [], tookMs = 0, text = () => 'refused', map = () => '' } = facts;
  const { renderMs = 0, heldUntilMs = 0, onRender, isPart, verdict, restInMs } = facts;
  const { outcome = () => ({ kind: 'unreachable', message: 'nothing listens' }) } = facts;
  const times: number[] = [];
  const stop = new AbortController();
  let nowMs = 0;
  const applier: Applier = {
    apply: async () => {
      times.push(Math.round(nowMs));
      nowMs += tookMs;
      return outcome(nowMs);
    },
    settle: () => {
      const stopped = new Promise<undefined>((resolve) => {
        stop.signal.addEventListener('abort', () => resolve(undefined));
      });
      const outcome = verdict === 'pending' ? stopped : Promise.resolve(verdict);
      return verdict && { outcome, giveWayTo: () => false };
    },
    retryRejected: () => undefined,
  };
  let isPoked = false;
  const poke = (): void => {
    isPoked = true;
  };
  const sleep = async (timeoutMs: number): Promise<void> => {
    await setImmediate();
    const isAwake = isPoked;
    isPoked = false;
    if (isAwake) return;
    const endsAt = nowMs === 0 ? 0.03 : nowMs + Math.max(1, Math.trunc(timeoutMs));
    const wake = wakesAt.find((at) => at > nowMs && at < endsAt);
    nowMs = wake ?? endsAt;
    if (nowMs > untilMs) stop.abort();
  };
  await runConfigurationLoop(
    {
      wake: { poke, sleep },
      checkIntervalMs: CHECK_INTERVAL_MS,
      beat: () => undefined,
      now: () => nowMs,
      next: async () => ({ input: nowMs, lookAgainInMs: undefined }),
      pace: {
        turn: async (wanted) => {
          if (restInMs !== undefined) return { now: wanted, laterMs: restInMs };
          const laterMs = Math.max(0, heldUntilMs - nowMs);
          return { now: laterMs === 0 || isPart?.(nowMs) ? wanted : undefined, laterMs };
        },
        note: () => undefined,
      },
      render: async (at) => {
        onRender?.(at);
        nowMs += renderMs;
        const rendered = text(at);
        const others = [{ name: 'hosts.map', content: map(at) }];
        return rendered === undefined
          ? { kind: 'refused', message: 'no template' }
          : { kind: 'rendered', rendered: { text: rendered, mode: 0o644, others } };
      },
      applier,
      observe: () => undefined,
    },
    stop.signal,
  );
  return times;
}

const told = { kind: 'reloaded', atRunTime: true, isUnchecked: true } as const;
const documented = [0, 500, 1_500, 3_500, 7_500, 15_500, 30_500, 45_500];

describe('a configuration that cannot be applied', () => {
  it('is tried again after 0.5, 1, 2, 4, 8 and 15 s, though timers drop the fraction of a millisecond', async () => {
    expect(near(await attemptTimes(46_000))).toEqual(documented);
  });

  it('is tried again at the same times whatever wakes the loop in between', async () => {
    const wakesAt = Array.from({ length: 600 }, (_, index) => 130.7 + index * 77.3);
    expect(near(await attemptTimes(46_000, { wakesAt }))).toEqual(documented);
  });

  it('counts each pause from the end of the attempt before', async () => {
    expect(near(await attemptTimes(12_000, { tookMs: 1_000 }))).toEqual([0, 1_500, 3_500, 6_500, 11_500]);
  });

  it('is retried as seldom if each attempt is applied at runtime before validation refuses it', async () => {
    const outcome = () => told;
    const verdict = { kind: 'rejected', by: 'check', message: 'no', detail: '' } as const;
    expect(near(await attemptTimes(46_000, { outcome, verdict }))).toEqual(documented);
  });

  it('is tried at once if its text changes', async () => {
    const text = (nowMs: number) => (nowMs < 700 ? 'first' : 'second');
    expect(near(await attemptTimes(2_000, { wakesAt: [700], text }))).toEqual([0, 500, 700, 1_200]);
  });

  it('is tried at once if only another file of its set changes', async () => {
    const map = (nowMs: number) => (nowMs < 700 ? 'first' : 'second');
    expect(near(await attemptTimes(2_000, { wakesAt: [700], map }))).toEqual([0, 500, 700, 1_200]);
  });

  it('is retried within a check interval if rendering failed when it was due', async () => {
    const text = (nowMs: number) => (nowMs > 400 && nowMs < 600 ? undefined : 'refused');
    expect(near(await attemptTimes(8_000, { text }))).toEqual([0, 6_500, 7_500]);
  });
});

it('waits for a check that cannot be interrupted, whatever is left to be applied', async () => {
  let rendered = 0;
  const onRender = (): void => {
    rendered += 1;
  };
  const outcome = () => told;
  await attemptTimes(19_000, { outcome, verdict: 'pending', restInMs: 1, onRender });
  expect(rendered).toBeLessThan(8);
});

it('looks once each check interval at a configuration that is served', async () => {
  const outcome = (): ApplyOutcome => ({ kind: 'unchanged' });
  expect(near(await attemptTimes(19_000, { outcome }))).toEqual([0, 6_000, 12_000, 18_000]);
});

/** To the tenth of a second: a timer may be some milliseconds late. */
function near(times: readonly number[]): readonly number[] {
  return times.map((time) => Math.round(time / 100) * 100);
}

describe('a configuration that is held back', () => {
  it('is made in a fifth of the time however often the loop is woken, and applied once it may be', async () => {
    const wakesAt = Array.from({ length: 1_000 }, (_, index) => 3.7 + index * 5);
    let renders = 0;
    const onRender = () => {
      renders += 1;
    };
    const served: ApplyOutcome = { kind: 'reloaded' };
    const facts = { wakesAt, renderMs: 20, heldUntilMs: 3_000, onRender, outcome: () => served };
    const times = await attemptTimes(3_050, { ...facts });
    expect(times[0]).toBeGreaterThanOrEqual(3_000);
    expect(times[0]).toBeLessThan(3_050);
    expect(renders).toBeLessThanOrEqual(40);
  });

  it('is made no more while nothing wakes the loop', async () => {
    let renders = 0;
    const onRender = (atMs: number) => {
      if (atMs < 3_050) renders += 1;
    };
    const served: ApplyOutcome = { kind: 'reloaded' };
    await attemptTimes(3_050, { renderMs: 20, heldUntilMs: 3_000, onRender, outcome: () => served });
    expect(renders).toBe(2);
  });

  it('is applied in part if that need not wait, and whole when due', async () => {
    const wakesAt = [1_000, 2_000];
    const served: ApplyOutcome = { kind: 'reloaded' };
    const isPart = (nowMs: number) => nowMs >= 1_000 && nowMs < 2_000;
    const facts = { wakesAt, heldUntilMs: 3_000, isPart, outcome: () => served };
    expect(near(await attemptTimes(3_050, facts))).toEqual([1_000, 3_000]);
  });

  it('is applied at its time however long its part took', async () => {
    const served: ApplyOutcome = { kind: 'reloaded' };
    const isPart = (nowMs: number) => nowMs >= 1_000 && nowMs < 2_000;
    const facts = { wakesAt: [1_000], heldUntilMs: 3_000, isPart, tookMs: 900, outcome: () => served };
    expect(near(await attemptTimes(5_000, facts))).toEqual([1_000, 3_000]);
  });
});
