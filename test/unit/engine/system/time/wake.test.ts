import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { createWake } from '../../../../../src/engine/system/time/wake.ts';

const LONG_MS = 60_000;
const never = new AbortController().signal;

test('a poke ends the sleep', async () => {
  const wake = createWake();
  const sleeping = wake.sleep(LONG_MS, never);
  wake.poke();
  await sleeping;
});

test('a poke without a sleeper ends only the next sleep, at once', async () => {
  const wake = createWake();
  wake.poke();
  wake.poke();
  await wake.sleep(LONG_MS, never);
  const timedOut = wake.sleep(5, never).then(() => 'timed out');
  expect(await timedOut).toBe('timed out');
});

test('an abort ends the sleep, before and during it', async () => {
  const controller = new AbortController();
  const wake = createWake();
  const sleeping = wake.sleep(LONG_MS, controller.signal);
  controller.abort();
  await sleeping;
  await wake.sleep(LONG_MS, controller.signal);
});

test('I/O proceeds in a loop that always has work', async () => {
  const wake = createWake();
  let hasRead = false;
  void readFile(import.meta.filename).then(() => {
    hasRead = true;
  });
  // Data arrives during each turn.
  for (let turn = 0; turn < 2_000 && !hasRead; turn += 1) {
    const until = performance.now() + 2;
    while (performance.now() < until);
    wake.poke();
    await wake.sleep(0, never);
  }
  expect(hasRead).toBe(true);
});
