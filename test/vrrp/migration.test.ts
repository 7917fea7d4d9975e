import { afterAll, beforeAll, expect, test } from 'vitest';
import { ensureBuilt } from '../helpers/supervisor-build.ts';
import { apiServerAnswers, startApiServer } from '../helpers/vrrp/api-server.ts';
import type { BedClient } from '../helpers/vrrp/bed-client.ts';
import type { BedNode } from '../helpers/vrrp/bed-node.ts';
import { sendSignal, waitForEnd } from '../helpers/vrrp/bed-process.ts';
import { createHawserStack, type HawserStack, takesPart } from '../helpers/vrrp/hawser.ts';
import { type NodeStack, stackPorts } from '../helpers/vrrp/node-stack.ts';
import { createTodayStack, todayCluster } from '../helpers/vrrp/today.ts';
import { createVrrpBed, type VrrpBed } from '../helpers/vrrp/vrrp-bed.ts';
import { waitFor } from '../helpers/wait-for.ts';
import { changeAtOnce } from './agreed-change.ts';

const PATIENCE_MS = 60_000;

let bed: VrrpBed;
let client: BedClient;
let today: NodeStack;
let hawser: HawserStack;
const moved = new Set<BedNode>();

beforeAll(async () => {
  ensureBuilt();
  bed = await createVrrpBed(3);
  today = createTodayStack(bed, 'openshift', bed.nodes);
  // Rarer adverts than the default, as everywhere in these tests: a busy machine must not look like a dead node.
  hawser = createHawserStack(bed, {
    flags: {
      'keepalived-monitor': [
        ...['--profile', 'openshift', '--cluster-name', todayCluster, '--advert-interval', '1s'],
      ],
    },
  });
  for (const node of bed.nodes) startApiServer(bed, node);
  for (const node of bed.nodes) await waitFor(`${node.name} to answer`, () => apiServerAnswers(node));
  for (const node of bed.nodes) await today.start(node);
  await waitFor('a node to hold the VIP', () => bed.holders().length === 1, PATIENCE_MS);
  client = await bed.startClient(stackPorts.lb);
}, 120_000);
afterAll(() => bed?.[Symbol.asyncDispose]());

/** A stack is the shell pods' or ours, node by node. */
const stackOf = (node: BedNode): NodeStack => (moved.has(node) ? hawser : today);

async function stopKeepalived(node: BedNode): Promise<void> {
  const keepalived = stackOf(node).keepalivedMain(node);
  sendSignal(keepalived, 'SIGTERM');
  await waitForEnd(keepalived);
}

async function rested(): Promise<BedNode | undefined> {
  const isRested = () => bed.holders().length === 1 && client.calmFor(1_000);
  await waitFor('one holder that serves', isRested, PATIENCE_MS);
  return bed.holders()[0];
}

/** As the kubelet does when the manifests are exchanged. */
async function move(node: BedNode): Promise<void> {
  await stopKeepalived(node);
  const haproxy = node.running('haproxy');
  sendSignal(haproxy, 'SIGTERM');
  await waitForEnd(haproxy);
  moved.add(node);
  await hawser.start(node);
  await waitFor(`${node.name} to take part`, () => takesPart(node), PATIENCE_MS);
}

/** Leaves the VIP nowhere else to go, and brings everybody back. */
async function drive(to: readonly BedNode[]): Promise<void> {
  const others = bed.nodes.filter((node) => !to.includes(node));
  for (const node of others) await stopKeepalived(node);
  const holder = await rested();
  expect(to).toContain(holder);
  for (const node of others) await stackOf(node).restoreKeepalived(node);
  for (const node of others.filter((each) => moved.has(each)))
    await waitFor(`${node.name} to take part`, () => takesPart(node), PATIENCE_MS);
  // Who of them holds it then is not said: on a busy machine the shell pods' scripts are late, and count as failed.
  await rested();
}

test.each([1, 2])(
  '%i of 3 nodes moved beside shell pods: one holder, and either kind takes over from the other',
  async (count) => {
    const node = bed.nodes[count - 1];
    if (node === undefined) throw new Error('no such node');
    await move(node);
    await rested();
    const ours = bed.nodes.filter((each) => moved.has(each));
    expect(ours).toHaveLength(count);
    await drive(ours);
    await drive(bed.nodes.filter((each) => !moved.has(each)));
  },
  240_000,
);

test('the last node moved, all change to the fast profile at one agreed time, and one of them holds the VIP', async () => {
  const last = bed.nodes.find((node) => !moved.has(node));
  if (last === undefined) throw new Error('no node is left');
  await move(last);
  await rested();
  const change = await changeAtOnce({ bed, client, nodes: bed.nodes }, 'profile: fast', (text) =>
    text.includes('vrrp_version 3'),
  );
  console.info('openshift to fast', change);
  expect(change.moves.length).toBeLessThanOrEqual(1);
  expect(bed.holders()).toHaveLength(1);
}, 240_000);
