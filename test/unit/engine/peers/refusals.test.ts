import { expect, test } from 'vitest';
import { createRefusals } from '../../../../src/engine/peers/refusals.ts';

const HOUR_MS = 3_600_000;

function scene() {
  const told: Record<string, unknown>[] = [];
  const clock = { nowMs: 0 };
  const refused = createRefusals(
    (event) => told.push({ ...event }),
    () => clock.nowMs,
  );
  return { told, clock, refused };
}

test('a refusal is told at once, and again after an hour with how many there were', () => {
  const { told, clock, refused } = scene();
  for (let n = 0; n < 100; n += 1) refused('10.0.0.12', 'its certificate has expired');
  expect(told).toEqual([
    { event: 'peer-refused', level: 'warn', address: '10.0.0.12', reason: 'its certificate has expired' },
  ]);
  clock.nowMs = HOUR_MS;
  refused('10.0.0.12', 'its certificate has expired');
  expect(told[1]).toMatchObject({ address: '10.0.0.12', more: 99 });
  expect(told).toHaveLength(2);
});

test('another reason and another address are other refusals', () => {
  const { told, refused } = scene();
  refused('10.0.0.12', 'a');
  refused('10.0.0.12', 'b');
  refused('10.0.0.13', 'a');
  expect(told).toHaveLength(3);
});

test('a client from ever new addresses fills no log', () => {
  const { told, clock, refused } = scene();
  for (let n = 0; n < 10_000; n += 1) refused(`10.${n >> 8}.${n & 255}.1`, 'a');
  expect(told).toHaveLength(65);
  expect(told[64]).toEqual({ event: 'peer-refused', level: 'warn', reason: 'many others, for many reasons' });
  clock.nowMs = HOUR_MS;
  refused('192.0.2.1', 'a');
  expect(told[65]).toMatchObject({ address: '192.0.2.1' });
});
