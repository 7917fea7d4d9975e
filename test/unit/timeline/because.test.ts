import { expect, test } from 'vitest';
import type { JournalLine } from '../../../src/observe/journal/journal-line.ts';
import { becauseOf } from '../../../src/observe/timeline/because.ts';
import { lineAt } from '../../helpers/timeline-lines.ts';

const health = (ms: number, fields: Partial<JournalLine> = {}) =>
  lineAt(ms, { kind: 'health', event: 'health-told', subject: 'api', from: '30', to: '-254', ...fields });
const left = (ms: number, fields: Partial<JournalLine> = {}) =>
  lineAt(ms, { subject: 'prod_API', from: 'MASTER', to: 'FAULT', reason: 'it cannot serve', ...fields });
const taken = (ms: number, fields: Partial<JournalLine> = {}) =>
  lineAt(ms, { subject: 'prod_API', from: 'BACKUP', to: 'MASTER', node: 'cp-2', ...fields });

/** About the last of these lines. */
const because = (...lines: readonly JournalLine[]) => becauseOf(lines, lines.length - 1);

test('a VIP that left a node names the check and what it was worth', () => {
  const dead = lineAt(0, { kind: 'health', event: 'liveness', subject: 'api', to: 'dead' });
  expect(because(dead, health(1), left(9))).toBe('what serves api → dead; track value of api 30 → -254');
});

test('what happened to another node, to another VIP or long before is no cause', () => {
  expect(because(health(0, { node: 'cp-2' }), left(9))).toBeUndefined();
  expect(because(health(0, { subject: 'ingress' }), left(9))).toBeUndefined();
  expect(because(health(0), left(5_001))).toBeUndefined();
  expect(because(health(0), left(5_000))).toBeDefined();
});

test('what is no sign of trouble is no cause', () => {
  expect(because(lineAt(0, { kind: 'reload', event: 'generation-serving' }), left(9))).toBeUndefined();
});

test('a node that took a VIP names who gave it up and why, where that journal is there', () => {
  expect(because(left(0), taken(12))).toBe('cp-1 left MASTER: it cannot serve');
  expect(because(left(0, { subject: 'prod_INGRESS' }), taken(12))).toBeUndefined();
  expect(because(left(0, { node: 'cp-2' }), taken(12))).toBeUndefined();
});

test('an order is the cause of what it moves: where the VIP leaves, and where it is taken', () => {
  const order = (event: string, subject: string) =>
    lineAt(0, { kind: 'steering', event, subject, reason: 'kernel', facts: { by: 'root@cp-1' } });
  expect(because(order('node-drained', 'api, ingress'), left(9))).toBe(
    'node drained api, ingress: kernel (by root@cp-1)',
  );
  expect(because(order('node-drained', 'ingress'), left(9))).toBeUndefined();
  const claim = { ...order('move-vip-began', 'api'), node: 'cp-2', to: 'claim' };
  expect(because(claim, left(8, { to: 'BACKUP', reason: 'outranked' }), taken(9))).toBe(
    'move VIP began api → claim: kernel (by root@cp-1); cp-1 left MASTER: outranked',
  );
  expect(because(health(0, { node: 'cp-2' }), taken(9))).toBeUndefined();
});

test('a node that lost a VIP names who has it, though that was written later', () => {
  expect(becauseOf([left(0, { to: 'BACKUP' }), taken(12)], 0)).toBe('cp-2 became MASTER');
});

test('of several moves the nearest one counts', () => {
  const lines = [left(0, { node: 'cp-3', reason: 'old' }), left(2_000, { reason: 'new' }), taken(2_012)];
  expect(becauseOf(lines, 2)).toBe('cp-1 left MASTER: new');
});

test('what is no move of a VIP has no such cause', () => {
  expect(because(left(0), health(5))).toBeUndefined();
});
