import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  type DrillReport,
  parseSteeringOrder,
  steeringOrderText,
} from '../../../../src/vip/steering/steering-file.ts';
import type { SteeringOrder } from '../../../../src/vip/steering/vrrp-steering.ts';

const asked = {
  id: '0123456789abcdef',
  by: 'root@cp-1',
  why: 'kernel 6.18',
  atMs: Date.UTC(2026, 10, 21, 12),
};
const drain: SteeringOrder = { kind: 'drain', ...asked, vips: ['api', 'ingress'] };
const drill: SteeringOrder = {
  ...{ kind: 'move', ...asked, purpose: 'drill', vip: 'api', first: 'yield' },
  ...{ backAtMs: asked.atMs + 10_000, untilMs: asked.atMs + 40_000 },
};
const move: SteeringOrder = { ...drill, purpose: 'move-vip', backAtMs: undefined };
const figures = { attempts: 500, failed: 1, longestGapMs: 20, failingMs: 20 };
const report: DrillReport = { kind: 'report', id: asked.id, figures };

test.each([drain, drill, move, report])('what is written is read as it was meant: %j', (order) => {
  expect(parseSteeringOrder(steeringOrderText(order))).toEqual({ kind: 'order', order });
});

test('a drain as it stands in the file', () => {
  expect(JSON.parse(steeringOrderText(drain))).toEqual({
    ...{ v: 1, order: 'drain', id: asked.id, by: asked.by, why: asked.why },
    ...{ at: '2026-11-21T12:00:00.000Z', vips: ['api', 'ingress'] },
  });
});

const object = (order: Parameters<typeof steeringOrderText>[0]) => JSON.parse(steeringOrderText(order));
test.each([
  ['', 'it is no JSON'],
  ['{"v":1,"order":"drain"', 'it is no JSON'],
  ['null', 'it is no order'],
  ['[]', 'it is no order'],
  ['"drain"', 'it is no order'],
  ['{"v":1}', 'its "order" is missing or wrong'],
  [JSON.stringify({ ...object(drain), v: 2 }), 'its "v" is missing or wrong'],
  [JSON.stringify({ ...object(drain), vips: [] }), 'its "vips" is missing or wrong'],
  [JSON.stringify({ ...object(drain), until: '2026-11-21T12:00:00.000Z' }), 'it has "until"'],
  [JSON.stringify({ ...object(drain), why: 'a\u001b[2J' }), 'its "why" is missing or wrong'],
  [JSON.stringify({ ...object(drain), by: 'x'.repeat(201) }), 'its "by" is missing or wrong'],
  [JSON.stringify({ ...object(drill), first: 'fault' }), 'its "first" is missing or wrong'],
  [JSON.stringify({ ...object(drill), until: undefined }), 'its "until" is missing or wrong'],
  [JSON.stringify({ ...object(drill), until: '2026-11-21' }), 'its "until" is missing or wrong'],
  [JSON.stringify({ ...object(drill), until: '2126-11-21T12:00:00Z' }), 'it would last for'],
  [JSON.stringify({ ...object(report), figures: { event: 1 } }), 'its "figures.'],
])('%j is not guessed at', (text, problem) => {
  const outcome = parseSteeringOrder(text);
  expect(outcome.kind === 'unusable' && outcome.problem).toContain(problem);
});

test('every beginning of an order is unusable but the whole of it', () => {
  for (const order of [drain, drill, report]) {
    const text = steeringOrderText(order).trimEnd();
    for (let length = 0; length < text.length; length += 1)
      expect(parseSteeringOrder(text.slice(0, length)).kind).toBe('unusable');
  }
});

test('whatever was written, nothing is thrown and the problem is one short line', () => {
  const anything = fc.oneof(fc.string({ maxLength: 500 }), fc.json());
  fc.assert(
    fc.property(anything, (text) => {
      const outcome = parseSteeringOrder(text);
      expect(outcome.kind === 'unusable' && outcome.problem).toMatch(/^\P{Cc}{1,400}$/u);
    }),
  );
});
