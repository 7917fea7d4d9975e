import { writeFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { startApiServer } from '../helpers/vrrp/api-server.ts';
import type { BedNode } from '../helpers/vrrp/bed-node.ts';
import { waitForEnd } from '../helpers/vrrp/bed-process.ts';
import { holdingsOf } from '../helpers/vrrp/holdings.ts';
import { stackPorts } from '../helpers/vrrp/node-stack.ts';
import { createVrrpBed, type VrrpBed } from '../helpers/vrrp/vrrp-bed.ts';
import { waitFor } from '../helpers/wait-for.ts';

/** By hand, as keepalived would. */
async function hold(bed: VrrpBed, node: BedNode): Promise<void> {
  const cidr = `${bed.vip}/${bed.family === 'IPv4' ? 32 : 128}`;
  await node.namespace.run('ip', 'address', 'add', cidr, 'dev', node.device);
  await waitFor(`${node.name} to be seen holding`, () => bed.holders().includes(node));
}

describe.each(['IPv4', 'IPv6'] as const)('the bed for %s', (family) => {
  test('shows who holds the VIP, and what the client on the same segment gets from it', async () => {
    await using bed = await createVrrpBed(2, { family });
    const [node] = bed.nodes;
    if (node === undefined) throw new Error('no node');
    expect(bed.holders()).toEqual([]);
    const client = await bed.startClient(stackPorts.api);
    const server = startApiServer(bed, node);
    await hold(bed, node);
    const served = () => waitFor('the client to be served', () => client.calmFor(500), 30_000);
    const cutOff = () => waitFor('the client to be cut off', () => !client.calmFor(500), 30_000);
    await served();

    await bed.split(['client']);
    await cutOff();
    await bed.heal();
    await served();

    await bed.powerOff(node);
    await cutOff();
    expect(bed.holders()).toEqual([]);
    expect(node.processes()).toEqual([]);
    await waitForEnd([server.id]);
    await bed.powerOn(node);
    startApiServer(bed, node);
    await hold(bed, node);
    await served();
  });
});

test('a VIP that comes and goes within a millisecond is not taken for held', async () => {
  await using bed = await createVrrpBed(1);
  const [node] = bed.nodes;
  if (node === undefined) throw new Error('no node');
  const lines = `address add ${bed.vip}/32 dev ${node.device}\naddress del ${bed.vip}/32 dev ${node.device}\n`;
  writeFileSync(node.at('batch'), lines.repeat(200));
  await node.namespace.run('ip', '-batch', node.at('batch'));
  await waitFor('every change to be seen', () => bed.events().length === 400);
  expect(bed.holders()).toEqual([]);
  expect(holdingsOf(bed.events())).toHaveLength(200);
});
