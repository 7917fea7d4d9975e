import { readFile } from 'node:fs/promises';
import { setImmediate as turn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { monotonicMs } from '../../../../../src/engine/system/time/monotonic-clock.ts';
import { oneAtATime } from '../../../../../src/engine/system/time/one-at-a-time.ts';

const hangs = () => new Error('it hangs');

/** Blocks the event loop for this long, as rendering a large configuration does. */
function compute(forMs: number): void {
  const untilMs = monotonicMs() + forMs;
  while (monotonicMs() < untilMs);
}

test('work that never ends is reported, and later callers fail at once', async () => {
  let runs = 0;
  const ask = oneAtATime(
    () => {
      runs += 1;
      return new Promise<never>(() => undefined);
    },
    100,
    hangs,
  );
  await expect(ask()).rejects.toThrow('it hangs');
  await expect(ask()).rejects.toThrow('it hangs');
  expect(runs).toBe(1);
});

test('a read succeeds although the process computes for longer than its timeout', async () => {
  const ask = oneAtATime(
    async () => {
      for (let reads = 0; reads < 3; reads += 1) await readFile('/dev/null');
      return 'read';
    },
    500,
    hangs,
  );
  const answer = ask();
  for (let passes = 0; passes < 6; passes += 1) {
    await turn();
    compute(200);
  }
  await expect(answer).resolves.toBe('read');
});
