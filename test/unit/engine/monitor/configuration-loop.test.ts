import { setImmediate } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { runConfigurationLoop } from '../../../../src/engine/monitor/configuration-loop.ts';

const CHECK_INTERVAL_MS = 6_000;

interface Facts {
  readonly wakesAt?: readonly number[];
  readonly renderMs?: number;
  /** The end of the reload's rate limit. */
  readonly heldUntilMs?: number;
  readonly isUnusable?: boolean;
}

/** When the loop renders and deploys, in milliseconds of a clock that advances only while something sleeps. */
async function timesOf(untilMs: number, { wakesAt = [], renderMs = 0, heldUntilMs = 0, isUnusable }: Facts) {
  const rendered: number[] = [];
  const deployed: number[] = [];
  const stop = new AbortController();
  let nowMs = 0;
  const sleep = async (timeoutMs: number): Promise<void> => {
    await setImmediate();
    const endsAt = nowMs === 0 ? 1 : nowMs + Math.max(1, Math.trunc(timeoutMs));
    nowMs = wakesAt.find((at) => at > nowMs && at < endsAt) ?? endsAt;
    if (nowMs > untilMs) stop.abort();
  };
  await runConfigurationLoop<number>(
    {
      wake: { poke: () => undefined, isPoked: () => false, sleep },
      checkIntervalMs: CHECK_INTERVAL_MS,
      beat: () => undefined,
      now: () => nowMs,
      next: async () => ({ input: nowMs, recheckInMs: undefined }),
      render: async (at) => {
        rendered.push(at);
        nowMs += renderMs;
        return isUnusable === true
          ? { kind: 'refused', message: 'no template' }
          : { kind: 'rendered', rendered: { text: 'text', mode: 0o644 } };
      },
      deployer: {
        deploy: async () => void deployed.push(nowMs),
        isHeld: () => nowMs < heldUntilMs,
        ended: async () => undefined,
      },
    },
    stop.signal,
  );
  return { rendered, deployed };
}

it('deploys once per check interval, and at each wake-up', async () => {
  expect((await timesOf(19_000, {})).deployed).toEqual([1, 6_001, 12_001, 18_001]);
  expect((await timesOf(3_000, { wakesAt: [700, 900] })).deployed).toEqual([1, 700, 900]);
});

it('does not deploy a configuration that cannot be rendered', async () => {
  const { rendered, deployed } = await timesOf(7_000, { isUnusable: true });
  expect(rendered.length).toBeGreaterThan(1);
  expect(deployed).toEqual([]);
});

it('renders for at most a fifth of the time while a reload is rate-limited', async () => {
  const wakesAt = Array.from({ length: 1_000 }, (_, index) => 4 + index * 5);
  const { rendered } = await timesOf(3_000, { wakesAt, renderMs: 20, heldUntilMs: 3_000 });
  expect(rendered.length).toBeGreaterThan(20);
  expect(rendered.length).toBeLessThanOrEqual(31);
});
