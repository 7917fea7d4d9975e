import { expect, it } from 'vitest';
import { forEachAtOnce } from '../../../../src/engine/config/for-each-at-once.ts';

const numbers = Array.from({ length: 100 }, (_, index) => index);
const soon = () => new Promise<void>((resolve) => setImmediate(resolve));

it('each item runs once, at most sixteen at a time', async () => {
  const done: number[] = [];
  let running = 0;
  let most = 0;
  await forEachAtOnce(numbers, async (each) => {
    running += 1;
    most = Math.max(most, running);
    await soon();
    running -= 1;
    done.push(each);
  });
  expect(done.sort((one, other) => one - other)).toEqual(numbers);
  expect(most).toBe(16);
});

it('after a failure no further item starts, and running ones finish before the error is thrown', async () => {
  let begun = 0;
  let over = 0;
  const work = async (each: number) => {
    begun += 1;
    await soon();
    over += 1;
    if (each === 20) throw new Error('the disk is full');
  };
  await expect(forEachAtOnce(numbers, work)).rejects.toThrow('the disk is full');
  expect(over).toBe(begun);
  expect(begun).toBeLessThan(50);
});
