import { expect, test } from 'vitest';
import { CHANGES_A_ROUND, interleave, seeded } from '../../../helpers/router/interleave.ts';
import { openSetWorld } from '../../../helpers/router/set-world.ts';

const CHANGES = Number(process.env['HAWSER_INTERLEAVINGS'] ?? 1_000);

test('none of a thousand changes made during reloads of HAProxy is lost', {
  timeout: 900_000,
}, async () => {
  const rounds = Math.ceil(CHANGES / CHANGES_A_ROUND);
  const found = await interleave(await openSetWorld(), rounds, seeded(79));
  expect(found.lost).toEqual([]);
  expect(found.atRunTime + found.reloaded).toBe(rounds * CHANGES_A_ROUND);
  expect(found.atRunTime).toBeGreaterThan(CHANGES / 2);
});
