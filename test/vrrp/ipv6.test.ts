import { expect, test } from 'vitest';
import { keepalivedTerm } from '../bench/failover/faults.ts';
import { heldByAnother, movesOfRecovery, openVipWorld } from './vip-world.ts';

test('an IPv6 VIP moves when its keepalived is terminated, and stays when keepalived returns', async () => {
  await using scene = await openVipWorld('IPv6');
  const troubled = await scene.rested();
  await keepalivedTerm.inject(scene, troubled);
  const next = await heldByAnother(scene, [troubled]);
  expect(await movesOfRecovery(scene, keepalivedTerm, troubled)).toEqual([]);
  expect(scene.bed.holders()).toEqual([next]);
}, 240_000);
