import { expect, test } from 'vitest';
import type { BedNode } from '../../../helpers/vrrp/bed-node.ts';
import { sendSignal, waitForEnd } from '../../../helpers/vrrp/bed-process.ts';
import { startMonitored } from '../../../helpers/vrrp/monitored.ts';
import { createVrrpBed } from '../../../helpers/vrrp/vrrp-bed.ts';
import { waitFor } from '../../../helpers/wait-for.ts';

test('a stranger that answers for the VIP is reported with its MAC, and the VIP stays', async () => {
  await using bed = await createVrrpBed(2);
  const [node, stranger] = bed.nodes as [BedNode, BedNode];
  const monitored = startMonitored(bed, node, [node], []);
  const split = () => monitored.metric(`hawser_split_brain{vip="${bed.vip}"}`);
  await waitFor('the node to hold the VIP', () => bed.holders().includes(node));
  expect(await split()).toBe(0);

  const change = (what: 'add' | 'del') =>
    stranger.namespace.run('ip', 'address', what, bed.vip, 'dev', stranger.device);
  await change('add');
  const { holders, message } = await monitored.waitForEvent('split-brain');
  const link = await stranger.namespace.run('ip', '-oneline', 'link', 'show', stranger.device);
  const mac = /link\/ether (\S+)/.exec(link)?.[1];
  expect(holders).toEqual([{ mac }]);
  expect(message).toBe(
    `This node (${node.address}) and an unknown host (${mac}) answer for VIP "${bed.vip}", expected one holder`,
  );
  expect(await split()).toBe(1);
  expect(bed.holders()).toContain(node);

  await change('del');
  await monitored.waitForEvent('split-brain-ended');
  expect(await split()).toBe(0);
  expect(monitored.events('split-brain')).toHaveLength(1);

  const { id } = monitored.monitor();
  sendSignal([id], 'SIGTERM');
  await waitForEnd([id]);
  expect(await node.namespace.run('nft', 'list', 'tables')).toBe('');
});
