import { expect, test } from 'vitest';
import { orderFileText } from '../../../../src/vip/orders/order-file.ts';
import type { VipOrder } from '../../../../src/vip/orders/vip-order.ts';
import { examine } from '../../../helpers/doctor/scene.ts';

const path = '/etc/hawser-keepalived/vrrp-steering.json';
const hourMs = 3_600_000;
const asked = (agoMs: number) => ({
  ...{ id: '0123456789abcdef', by: 'root@cp-1', why: 'kernel' },
  atMs: Date.now() - agoMs,
});
const drained = (agoMs: number): VipOrder => ({
  kind: 'drain',
  ...asked(agoMs),
  vips: ['api', 'ingress'],
});
const move = (agoMs: number): VipOrder => ({
  ...{ kind: 'move', ...asked(agoMs), vip: 'api', first: 'demote' },
  ...{ untilMs: Date.now() - agoMs + 40_000 },
});

test.each<[string, string | undefined, string, RegExp]>([
  ['no order', undefined, 'ok', /^not drained, no move in progress/],
  [
    'a drain of today',
    orderFileText(drained(2 * hourMs)),
    'ok',
    /^this node is drained \(api, ingress\) by root@cp-1/,
  ],
  ['one that was forgotten', orderFileText(drained(25 * hourMs)), 'warn', /since 20.*: kernel$/],
  ['a move', orderFileText(move(5_000)), 'ok', /^a move-vip is in progress by root@cp-1/],
  ['an order that is not carried out', orderFileText(move(hourMs)), 'warn', /should be over/],
  ['half an order', orderFileText(move(0)).slice(0, 30), 'warn', /is ignored: invalid JSON/],
])('steering: %s', async (_, text, kind, found) => {
  const finding = await examine('steering', text === undefined ? {} : { [path]: text });
  expect(finding.kind).toBe(kind);
  expect(finding.message).toMatch(found);
});
