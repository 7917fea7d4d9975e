import { afterAll, beforeAll, expect, test } from 'vitest';
import { createSegmentCapture } from '../../../../src/vip/segment/segment-capture.ts';
import { connectSegment, createNetNamespace, type NetNamespace } from '../../../helpers/net-namespace.ts';
import { waitFor } from '../../../helpers/wait-for.ts';

const stack = new AsyncDisposableStack();
let here: NetNamespace;
let other: NetNamespace;

const vips = [
  { vip: '10.77.0.100', family: 'ipv4', interface: 'eth0' },
  { vip: 'fd77::100', family: 'ipv6', interface: 'eth0' },
] as const;

beforeAll(async () => {
  here = stack.use(await createNetNamespace());
  other = stack.use(await createNetNamespace());
  stack.use(
    await connectSegment([
      { namespace: here, device: 'eth0', addresses: ['10.77.0.10/24', 'fd77::10/64'] },
      { namespace: other, device: 'eth0', addresses: ['10.77.0.11/24', 'fd77::11/64'] },
    ]),
  );
  for (const { vip } of vips) await other.run('ip', 'address', 'add', vip, 'dev', 'eth0');
});
afterAll(() => stack.disposeAsync());

async function probe(): Promise<void> {
  for (const { vip } of vips) {
    await here.run('ip', 'neigh', 'replace', vip, 'dev', 'eth0', 'nud', 'failed');
    await here.run('ip', 'neigh', 'replace', vip, 'dev', 'eth0', 'use');
  }
}

test('an answer can be read late, until the next flush', async () => {
  const capture = createSegmentCapture({ nft: [...here.prefix, 'nft'] });
  const heard = async () => {
    const outcome = await capture.read();
    if (typeof outcome === 'string') throw new Error(outcome);
    return outcome.answers;
  };
  expect(await capture.set({ vips, routerIds: [] })).toBeUndefined();
  expect(await heard()).toEqual([]);
  // The first packet to an IPv6 neighbour may get lost.
  await waitFor('both answers', async () => {
    await probe();
    return (await heard()).length === 2;
  });
  const sinceMs = performance.now();
  await waitFor('a late read', () => performance.now() - sinceMs > 2_000);
  const link = await other.run('ip', '-oneline', 'link', 'show', 'eth0');
  const mac = /link\/ether (\S+)/.exec(link)?.[1];
  expect(await heard()).toEqual(vips.map(({ vip: address }) => ({ address, mac })));
  for (const { vip } of vips) await other.run('ip', 'address', 'del', vip, 'dev', 'eth0');
  expect(await capture.flush('answers')).toBeUndefined();
  expect(await heard()).toEqual([]);
  await here.run('nft', 'flush', 'ruleset');
  expect(await capture.flush('answers')).toMatch(
    /^Cannot use nftables table "netdev hawser_segment": .*expected nft/,
  );
  expect(await capture.remove()).toBeUndefined();
  expect(await here.run('nft', 'list', 'tables')).toBe('');
});
