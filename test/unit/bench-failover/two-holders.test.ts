import { expect, test } from 'vitest';
import { measureTwoHolders } from '../../bench/failover/two-holders.ts';
import type { HoldingEvent } from '../../helpers/vrrp/holdings.ts';

const takes = (node: string, atMs: number): HoldingEvent => ({ node, holds: true, atMs });
const loses = (node: string, atMs: number): HoldingEvent => ({ node, holds: false, atMs });
const moments = [1_000, 5_000, 9_000] as const;
/** `a` holds from the start, `b` from 1300 on, `a` no longer from 1700 on. */
const overlap = [takes('a', 0), takes('b', 1_300), loses('a', 1_700)];
const nothing = { partitions: [], kills: [] };

test('two nodes that have the VIP at once are two holders', () => {
  expect(measureTwoHolders({ ...nothing, events: overlap }, moments)).toEqual({
    twoHoldersMs: 400,
    twoHoldersAfterMs: 0,
  });
});

test('the VIP that a killed keepalived leaves is stale until that node takes it again', () => {
  const kills = [loses('a', 1_000)];
  expect(measureTwoHolders({ ...nothing, events: overlap, kills }, moments)).toEqual({
    twoHoldersMs: 0,
    twoHoldersAfterMs: 0,
    staleVipMs: 400,
  });
  const again = [...overlap, takes('a', 6_000), loses('a', 6_200)];
  expect(measureTwoHolders({ ...nothing, events: again, kills }, moments)).toMatchObject({
    twoHoldersAfterMs: 200,
    staleVipMs: 400,
  });
});

test('a kill does not excuse two others', () => {
  const events = [takes('a', 0), takes('b', 1_300), takes('c', 1_400), loses('c', 1_500), loses('a', 1_700)];
  const { twoHoldersMs } = measureTwoHolders({ ...nothing, events, kills: [loses('a', 1_000)] }, moments);
  expect(twoHoldersMs).toBe(100);
});

test('a partition makes them inherent, and for 150 ms its healing does', () => {
  const partitions = [{ fromMs: 1_100, toMs: 1_600 }];
  expect(measureTwoHolders({ ...nothing, events: overlap, partitions }, moments)).toMatchObject({
    twoHoldersMs: 0,
    healingMs: 100,
  });
  const slow = [takes('a', 0), takes('b', 1_300), loses('a', 1_800)];
  expect(measureTwoHolders({ ...nothing, events: slow, partitions }, moments)).toMatchObject({
    twoHoldersMs: 50,
    healingMs: 200,
  });
});

test('the next partition does not lengthen the healing of the one before', () => {
  const partitions = [
    { fromMs: 1_100, toMs: 1_600 },
    { fromMs: 2_000, toMs: 3_000 },
  ];
  const events = [...overlap, takes('a', 2_300), loses('a', 3_010)];
  expect(measureTwoHolders({ ...nothing, events, partitions }, moments)).toMatchObject({
    twoHoldersMs: 0,
    healingMs: 100,
  });
});
