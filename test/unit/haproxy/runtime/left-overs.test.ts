import { expect, test } from 'vitest';
import { createLeftOvers } from '../../../../src/haproxy/runtime/left-overs.ts';
import type { Running } from '../../../../src/haproxy/runtime/line.ts';

const generation = (number: number): Running => ({
  generation: number,
  master: { pid: number, startTicks: 1 },
});

const anyServer = (): boolean => true;

test('pending work on a draining generation does not forget servers of the serving one', async () => {
  const removed: string[] = [];
  const leftOvers = createLeftOvers(
    {
      end: async () => undefined,
      remove: async (_, server) => void removed.push(server),
    },
    { stepMs: 0, finishMs: 0 },
  );
  leftOvers.add(generation(1), 'b/one');
  leftOvers.add(generation(2), 'b/two');
  await leftOvers.advance(generation(1), anyServer);
  expect([...leftOvers.of(generation(2))]).toEqual(['b/two']);
  await leftOvers.advance(generation(2), anyServer);
  await leftOvers.advance(generation(2), anyServer);
  expect(removed).toEqual(['b/two']);
});

test('a server that may finish its work is shut down only after its time, even if awaited', async () => {
  const ended: string[] = [];
  const createWith = (finishMs: number) =>
    createLeftOvers(
      { end: async (_, server) => void ended.push(server), remove: async () => undefined },
      { stepMs: 0, finishMs },
    );
  const patient = createWith(60_000);
  patient.add(generation(1), 'b/one', 'check');
  expect(await patient.advance(generation(1), anyServer)).toBe(false);
  expect(ended).toEqual([]);
  expect(patient.optionsOf(generation(1), 'b/one')).toBe('check');
  const late = createWith(0);
  late.add(generation(1), 'b/two', 'check');
  expect(await late.advance(generation(1), () => false)).toBe(true);
  expect(ended).toEqual(['b/two']);
});

test('at most fifty servers are advanced together, those that HAProxy refuses last, and every awaited one', async () => {
  const ended: string[] = [];
  const leftOvers = createLeftOvers(
    {
      end: async (_, server) => {
        ended.push(server);
        return server < 'b/050' ? 'no' : undefined;
      },
      remove: async () => undefined,
    },
    { stepMs: 0, finishMs: 0 },
  );
  const names = Array.from({ length: 120 }, (_, index) => `b/${String(index).padStart(3, '0')}`);
  for (const name of names) leftOvers.add(generation(1), name);
  expect(await leftOvers.advance(generation(1), (server) => server === 'b/119')).toBe(true);
  expect(ended).toEqual([...names.slice(0, 50), 'b/119']);
  ended.length = 0;
  expect(await leftOvers.advance(generation(1), () => false)).toBe(true);
  expect(ended).toEqual(names.slice(50, 100));
});

test('only an awaited server is advanced before its time', async () => {
  const ended: string[] = [];
  const leftOvers = createLeftOvers(
    { end: async (_, server) => void ended.push(server), remove: async () => undefined },
    { stepMs: 0, finishMs: 60_000 },
  );
  leftOvers.adopt(generation(1), 'b/one', 5_000);
  leftOvers.adopt(generation(1), 'b/two', 5_000);
  expect(await leftOvers.advance(generation(1), (server) => server === 'b/one')).toBe(true);
  expect(ended).toEqual(['b/one']);
});
