import { expect, test } from 'vitest';
import { factsOf, remoteHolder } from '../../../../src/vip/orders/gather-facts.ts';
import { keepalivedMonitorSays } from '../../../helpers/status-samples.ts';

/** The status of a single node. */
async function holds(...vips: readonly string[]): Promise<boolean | undefined> {
  const priorities = keepalivedMonitorSays.priorities.map((each) => ({ ...each, vips: [...vips] }));
  const group = keepalivedMonitorSays.group.filter(({ self }) => self);
  const status = { ...keepalivedMonitorSays, priorities, group };
  return (await factsOf(status, { healthPort: 1 })).vips[0]?.holder;
}

test('a node that still has its bonus but not the VIP is not a holder', async () => {
  expect(await holds('127.0.0.1')).toBe(true);
  expect(await holds('127.0.0.1', '::1')).toBe(true);
  expect(await holds('192.0.2.100')).toBe(false);
  expect(await holds('127.0.0.1', '192.0.2.100')).toBe(false);
});

const node = { name: 'cp-2', address: '10.0.0.2' };

test.each([
  ['nobody', undefined, { name: undefined, text: null }],
  ['a node of the group', { mac: 'a', node }, { name: 'cp-2', text: 'cp-2 (10.0.0.2)' }],
  ['a stranger', { mac: 'f', node: undefined }, { name: undefined, text: 'an unknown node (f)' }],
])('the holder of a VIP that %s answers for', (_who, first, holder) => {
  expect(remoteHolder(first)).toEqual({ here: false, ...holder });
});
