import { expect, test } from 'vitest';
import { createStarvationWatch } from '../../../../src/engine/observe/starvation-watch.ts';
import type { LogEvent } from '../../../../src/engine/system/log.ts';

test('starvation is reported when it begins and when it ends, whatever comes between', () => {
  const told: LogEvent[] = [];
  let now = 0;
  const watch = createStarvationWatch(
    (event) => void told.push(event),
    () => now,
  );
  const second = (lagSeconds: number, late = 0): void => {
    now += 1_000;
    for (let timer = 0; timer < late; timer += 1) watch.lateTimer();
    watch.lag(lagSeconds);
  };
  for (const lag of [0.01, 0.02]) second(lag);
  second(0.01, 2);
  for (const lag of [0.9, 0.01, 0.4]) second(lag);
  expect(told).toEqual([{ event: 'cpu-starvation', level: 'warn', lagMs: 10, lateTimers: 2 }]);
  for (let calm = 0; calm < 20; calm += 1) second(0.01);
  expect(told.slice(1)).toEqual([
    { event: 'cpu-starvation-over', worstLagMs: 900, lateTimers: 2, lastedMs: 3_000 },
  ]);
});
