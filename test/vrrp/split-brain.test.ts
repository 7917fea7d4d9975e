import { expect, test } from 'vitest';
import type { BedNode } from '../helpers/vrrp/bed-node.ts';
import { type Monitored, startMonitored } from '../helpers/vrrp/monitored.ts';
import { createVrrpBed, type VrrpBed } from '../helpers/vrrp/vrrp-bed.ts';
import { waitFor } from '../helpers/wait-for.ts';

const BLOCK = `add table inet block
add chain inet block input { type filter hook input priority 0; }
add rule inet block input meta l4proto 112 drop`;

const PATIENCE_MS = 60_000;

/** A firewall without a rule for VRRP; clients and neighbours get through. */
async function blockAdverts(nodes: readonly BedNode[]): Promise<void> {
  for (const node of nodes) await node.namespace.run('nft', BLOCK);
}

async function letAdvertsThrough(nodes: readonly BedNode[]): Promise<void> {
  for (const node of nodes) await node.namespace.run('nft', 'delete', 'table', 'inet', 'block');
}

async function startBoth(bed: VrrpBed): Promise<readonly [Monitored, Monitored]> {
  const [first, second] = bed.nodes.map((node) => startMonitored(bed, node, bed.nodes));
  if (first === undefined || second === undefined) throw new Error('two nodes');
  await waitFor('one node to hold the VIP', () => bed.holders().length === 1, PATIENCE_MS);
  return [first, second];
}

const isSplit = async (bed: VrrpBed, monitored: Monitored) =>
  (await monitored.metric(`hawser_split_brain{vip="${bed.vip}"}`)) === 1;

const over = (monitored: Monitored, bed: VrrpBed) =>
  waitFor(`${monitored.node.name} to hold alone`, async () => !(await isSplit(bed, monitored)), PATIENCE_MS);

test('two holders that cannot hear each other both report it once, and the end too', async () => {
  await using bed = await createVrrpBed(2);
  const both = await startBoth(bed);
  await blockAdverts(bed.nodes);
  for (const [index, each] of both.entries()) {
    const other = both[1 - index]?.node;
    const { holders: found } = await each.waitForEvent('split-brain');
    expect(found).toMatchObject([{ node: other?.name, address: other?.address }]);
    expect(await isSplit(bed, each)).toBe(true);
  }
  expect(bed.holders()).toHaveLength(2);
  await letAdvertsThrough(bed.nodes);
  await waitFor('one holder', () => bed.holders().length === 1, PATIENCE_MS);
  for (const each of both) {
    await over(each, bed);
    for (const event of ['split-brain', 'split-brain-ended']) expect(each.events(event)).toHaveLength(1);
  }
}, 180_000);
