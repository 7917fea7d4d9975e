import { expect, test } from 'vitest';
import { coalesce } from '../../../../src/engine/supervise/coalesce.ts';

test('a thousand concurrent callers share two runs, each of which started after their calls', async () => {
  let runs = 0;
  const work = coalesce(async () => {
    runs += 1;
    return runs;
  });
  const first = work();
  const others = await Promise.all(Array.from({ length: 1_000 }, () => work()));
  expect([await first, ...new Set(others)]).toEqual([1, 2]);
  expect(await work()).toBe(3);
});

test('a failed run rejects only the callers that waited for it', async () => {
  let runs = 0;
  const work = coalesce(async () => {
    runs += 1;
    if (runs === 1) throw new Error('EMFILE');
    return runs;
  });
  const first = work();
  const second = work();
  await expect(first).rejects.toThrow('EMFILE');
  expect(await second).toBe(2);
});
