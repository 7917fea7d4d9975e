import fc from 'fast-check';
import { expect, test } from 'vitest';
import { orderFileText, parseOrder } from '../../../../src/vip/orders/order-file.ts';
import type { VipOrder } from '../../../../src/vip/orders/vip-order.ts';

const asked = {
  v: 1,
  id: '0123456789abcdef',
  by: 'root@cp-1',
  why: 'kernel 6.18',
  at: '2026-11-21T12:00:00.000Z',
} as const;
const drain: VipOrder = { order: 'drain', ...asked, vips: ['api', 'ingress'] };
const move: VipOrder = {
  order: 'move-vip',
  ...asked,
  vip: 'api',
  first: 'demote',
  until: '2026-11-21T12:00:40.000Z',
};

test.each([drain, move])('an order is read back unchanged: %j', (order) => {
  expect(parseOrder(orderFileText(order))).toEqual(order);
});

test('a drain is stored as one line of JSON', () => {
  expect(JSON.parse(orderFileText(drain))).toEqual({
    v: 1,
    order: 'drain',
    id: asked.id,
    by: asked.by,
    why: asked.why,
    at: '2026-11-21T12:00:00.000Z',
    vips: ['api', 'ingress'],
  });
});

const object = (order: Parameters<typeof orderFileText>[0]) => JSON.parse(orderFileText(order));
test.each([
  ['', 'invalid JSON'],
  ['{"v":1,"kind":"drain"', 'invalid JSON'],
  ['null', 'not a VIP order'],
  ['[]', 'not a VIP order'],
  ['"drain"', 'not a VIP order'],
  ['{"v":1}', 'its "order" is missing or wrong'],
  [JSON.stringify({ ...object(drain), v: 2 }), 'its "v" is missing or wrong'],
  [JSON.stringify({ ...object(drain), vips: [] }), 'its "vips" is missing or wrong'],
  [JSON.stringify({ ...object(drain), until: '2026-11-21T12:00:00.000Z' }), 'unknown key "until"'],
  [JSON.stringify({ ...object(drain), why: 'a\u001b[2J' }), 'its "why" is missing or wrong'],
  [JSON.stringify({ ...object(drain), by: 'x'.repeat(201) }), 'its "by" is missing or wrong'],
  [JSON.stringify({ ...object(move), first: 'fault' }), 'its "first" is missing or wrong'],
  [JSON.stringify({ ...object(move), until: undefined }), 'its "until" is missing or wrong'],
  [JSON.stringify({ ...object(move), until: '2026-11-21' }), 'its "until" is missing or wrong'],
  [JSON.stringify({ ...object(move), until: '2126-11-21T12:00:00Z' }), 'it would last for'],
])('%j is invalid', (text, problem) => {
  expect(parseOrder(text)).toContain(problem);
});

test('a truncated order is invalid at any length', () => {
  for (const order of [drain, move]) {
    const text = orderFileText(order).trimEnd();
    for (let length = 0; length < text.length; length += 1)
      expect(parseOrder(text.slice(0, length))).toBeTypeOf('string');
  }
});

test('property: parsing never throws, and the problem is one short line', () => {
  const anything = fc.oneof(fc.string({ maxLength: 500 }), fc.json());
  fc.assert(
    fc.property(anything, (text) => {
      expect(parseOrder(text)).toMatch(/^\P{Cc}{1,400}$/u);
    }),
  );
});
