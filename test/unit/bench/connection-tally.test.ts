import { expect, test } from 'vitest';
import { createTally } from '../../helpers/load/connection-tally.ts';
import type { LoadEvent } from '../../helpers/load/load-events.ts';

const good = { kind: 'answered', body: 'cp-0' } as const;
const refused = { kind: 'failed', reason: 'refused' } as const;

function tallyWithEvents() {
  const events: LoadEvent[] = [];
  return { tally: createTally(['cp-0', 'cp-1'], (event) => events.push(event)), events };
}

test('an answer of a stranger is a lost connection', () => {
  const { tally, events } = tallyWithEvents();
  tally.take(10, 12, { kind: 'answered', body: 'another server' });
  expect(tally.counts()).toMatchObject({ ok: 0, lost: { wrong: 1 } });
  expect(events).toEqual([{ kind: 'lost', startedAtMs: 10, atMs: 12, reason: 'wrong' }]);
});

test('service is back with the first good answer to a connection younger than every lost one', () => {
  const { tally, events } = tallyWithEvents();
  tally.take(10, 11, refused);
  tally.take(30, 31, refused);
  tally.take(20, 32, good);
  tally.take(40, 41, good);
  tally.take(50, 51, good);
  expect(events.filter(({ kind }) => kind === 'ok-again')).toEqual([
    { kind: 'ok-again', startedAtMs: 40, atMs: 41 },
  ]);
});

test('an answer after half a second is good but slow', () => {
  const { tally } = tallyWithEvents();
  tally.take(0, 500, good);
  tally.take(0, 501, good);
  expect(tally.counts()).toEqual({ ok: 2, lost: {}, slow: 1, slowestMs: 501, servers: { 'cp-0': 2 } });
});

test('a connection that was given up is lost by timeout', () => {
  const { tally } = tallyWithEvents();
  tally.take(0, 5_000, 'timeout');
  expect(tally.counts().lost).toEqual({ timeout: 1 });
});
