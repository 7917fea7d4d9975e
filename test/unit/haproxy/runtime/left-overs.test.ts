import { expect, test } from 'vitest';
import { createLeftOvers } from '../../../../src/haproxy/runtime/left-overs.ts';
import type { Running } from '../../../../src/haproxy/runtime/running.ts';

const generation = (number: number): Running => ({
  generation: number,
  master: { pid: number, startTicks: 1 },
});

test('work that is left for a generation which drains does not forget the servers of the one that serves', async () => {
  const removed: string[] = [];
  const leftOvers = createLeftOvers(
    {
      end: async () => undefined,
      remove: async (_, server) => void removed.push(server),
    },
    0,
  );
  leftOvers.add(generation(1), 'b/one');
  leftOvers.add(generation(2), 'b/two');
  await leftOvers.advance(generation(1), true);
  expect([...leftOvers.of(generation(2))]).toEqual(['b/two']);
  await leftOvers.advance(generation(2), true);
  await leftOvers.advance(generation(2), true);
  expect(removed).toEqual(['b/two']);
});
