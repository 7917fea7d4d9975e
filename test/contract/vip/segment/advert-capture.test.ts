import { mkdtempSync, rmSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createSegmentCapture } from '../../../../src/vip/segment/segment-capture.ts';
import { type ForeignInstance, foreignRouterText } from '../../../helpers/foreign-router.ts';
import { startKeepalived } from '../../../helpers/keepalived-process.ts';
import { connectSegment, createNetNamespace, type NetNamespace } from '../../../helpers/net-namespace.ts';
import { waitFor } from '../../../helpers/wait-for.ts';

const stack = new AsyncDisposableStack();
let here: NetNamespace;
let routers: readonly NetNamespace[];
let dir: string;

beforeAll(async () => {
  dir = mkdtempSync('/run/hawser-capture-');
  stack.defer(() => rmSync(dir, { recursive: true, force: true }));
  const all: NetNamespace[] = [];
  for (let index = 0; index < 4; index += 1) all.push(stack.use(await createNetNamespace()));
  const ends = all.map((namespace, index) => ({
    namespace,
    device: 'eth0',
    addresses: [`10.77.0.1${index}/24`, `fd77::1${index}/64`],
  }));
  stack.use(await connectSegment(ends));
  [here, ...routers] = all as [NetNamespace, ...NetNamespace[]];
});
afterAll(() => stack.disposeAsync());

function startRouter(index: number, version: 2 | 3, instances: readonly ForeignInstance[]): void {
  const namespace = routers[index];
  if (namespace === undefined) throw new Error(`no router ${index}`);
  startKeepalived(namespace, { dir, name: `r${index}`, text: foreignRouterText(version, instances) });
}

const tables = async () => await here.run('nft', 'list', 'tables');

test('foreign adverts with our id or our VIP are captured, and those with both only in VRRP 2', async () => {
  const capture = createSegmentCapture({ nft: [...here.prefix, 'nft'] });
  const common = { interface: 'eth0', sourceAddress: '10.77.0.10' };
  const watch = (virtualRouterId: number, vip: string) =>
    ({ ...common, virtualRouterId, vip, family: vip.includes(':') ? 'ipv6' : 'ipv4' }) as const;
  // One router advertises 81 to 83: once two of them have been heard, the third has been sent too.
  startRouter(0, 3, [
    { virtualRouterId: 77, vips: ['10.77.0.200'] },
    { virtualRouterId: 77, vips: ['fe80::200', 'fd77::200'] },
  ]);
  startRouter(1, 2, [
    { virtualRouterId: 78, vips: ['10.77.0.201', '10.77.0.78'] },
    { virtualRouterId: 79, vips: ['10.77.0.202'] },
    { virtualRouterId: 80, vips: ['10.77.0.203'] },
    { virtualRouterId: 90, vips: ['10.77.0.206', '10.77.0.79'] },
  ]);
  startRouter(2, 3, [
    { virtualRouterId: 81, vips: ['10.77.0.204'], peer: '10.77.0.10' },
    { virtualRouterId: 82, vips: ['fe80::205'], peer: 'fd77::10', source: 'fd77::13' },
    { virtualRouterId: 83, vips: ['10.77.0.207', '10.77.0.83'], peer: '10.77.0.10' },
  ]);
  const watched = [
    ...[watch(77, '10.77.0.77'), watch(77, 'fd77::77'), watch(78, '10.77.0.78'), watch(79, '10.77.0.79')],
    ...[watch(81, '10.77.0.81'), watch(82, 'fd77::82'), watch(83, '10.77.0.83')],
  ];
  expect(await capture.set({ vips: [], routerIds: watched })).toBeUndefined();
  const adverts = await waitFor('every router to be heard', async () => {
    const heard = await capture.read();
    if (typeof heard === 'string') throw new Error(heard);
    if (heard.foreign.length < 7)
      throw new Error(`heard only ${heard.foreign.map(({ virtualRouterId }) => virtualRouterId)}`);
    return heard.foreign;
  });
  const shown = adverts.map(
    ({ virtualRouterId: id, version, vip, family }) => `${id} v${version} ${family} ${vip}`,
  );
  expect(shown.sort()).toEqual([
    '77 v3 ipv4 10.77.0.200',
    '77 v3 ipv6 fe80::200',
    '78 v2 ipv4 10.77.0.201',
    '79 v2 ipv4 10.77.0.202',
    '81 v3 ipv4 10.77.0.204',
    '82 v3 ipv6 fe80::205',
    '90 v2 ipv4 10.77.0.79',
  ]);
  expect(adverts.find(({ virtualRouterId }) => virtualRouterId === 81)?.source).toBe('10.77.0.13');
  expect(adverts.every(({ priority }) => priority === 5)).toBe(true);
  expect(await tables()).toContain('hawser_segment');
  expect(await capture.remove()).toBeUndefined();
  expect(await tables()).toBe('');
  expect(await capture.remove()).toBeUndefined();
});

test('without nft the error names nft', async () => {
  const capture = createSegmentCapture({ nft: [...here.prefix, 'nft-is-not-here'] });
  expect(await capture.set({ vips: [], routerIds: [] })).toMatch(
    /^Cannot use nftables table "netdev hawser_segment": .*expected nft/,
  );
});
