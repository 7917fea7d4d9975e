import { expect, test } from 'vitest';
import { allJournals } from '../../../../src/commands/journal-words.ts';
import type { JournalLine } from '../../../../src/engine/observe/journal/journal-line.ts';
import { reloadReason } from '../../../../src/keepalived/supervise/why.ts';
import { lineAt } from '../../../helpers/timeline-lines.ts';

const health = (ms: number, fields: Partial<JournalLine> = {}) =>
  lineAt(ms, {
    kind: 'health',
    event: 'track-value-changed',
    subject: 'api',
    from: '30',
    to: '-254',
    ...fields,
  });
const left = (ms: number, fields: Partial<JournalLine> = {}) =>
  lineAt(ms, { subject: 'API', from: 'MASTER', to: 'FAULT', reason: 'it cannot serve', ...fields });
const taken = (ms: number, fields: Partial<JournalLine> = {}) =>
  lineAt(ms, { subject: 'API', from: 'BACKUP', to: 'MASTER', node: 'cp-2', ...fields });

/** The causes of the last of these lines. */
const likelyCauses = allJournals.causesOf;
const because = (...lines: readonly JournalLine[]) => likelyCauses(lines, lines.length - 1);

test('the loss of a VIP names the failed check and its track value', () => {
  const dead = lineAt(0, { kind: 'health', event: 'haproxy-health-changed', subject: 'api', to: 'dead' });
  expect(because(dead, health(1), left(9))).toBe('health of api → dead; track value of api 30 → -254');
});

test('an event on another node, of another VIP or long before is not a cause', () => {
  expect(because(health(0, { node: 'cp-2' }), left(9))).toBeUndefined();
  expect(because(health(0, { subject: 'ingress' }), left(9))).toBeUndefined();
  expect(because(health(0), left(5_001))).toBeUndefined();
  expect(because(health(0), left(5_000))).toBeDefined();
});

test('a normal event is not a cause', () => {
  expect(because(lineAt(0, { kind: 'reload', event: 'generation-serving' }), left(9))).toBeUndefined();
});

test('a take-over names the previous holder and why it left, if its journal is available', () => {
  expect(because(left(0), taken(12))).toBe('cp-1 left MASTER: it cannot serve');
  expect(because(left(0, { subject: 'INGRESS' }), taken(12))).toBeUndefined();
  expect(because(left(0, { node: 'cp-2' }), taken(12))).toBe('no other node had taken it');
});

test('a take-over after a gap names the last holder and why the new one could take the VIP', () => {
  const usable = health(36_000, { node: 'cp-2', from: '-254', to: '30' });
  expect(because(left(0), usable, taken(37_000))).toBe(
    'track value of api -254 → 30; cp-1 left MASTER 37.0 s before: it cannot serve',
  );
  expect(because(left(0, { node: 'cp-2' }), usable, taken(37_000))).toBe(
    'track value of api -254 → 30; no other node had taken it',
  );
  const since = taken(20_000, { node: 'cp-3' });
  expect(because(left(0), since, taken(37_000))).toBe(
    'cp-3 was the holder, and its journal does not record that it lost the VIP',
  );
});

test('an order is the cause of a move both on the node that loses the VIP and on the one that takes it', () => {
  const order = (event: string, subject: string) =>
    lineAt(0, { kind: 'steering', event, subject, reason: 'kernel', facts: { by: 'root@cp-1' } });
  expect(because(order('node-drained', 'api, ingress'), left(9))).toBe(
    'node drained api, ingress: kernel (by root@cp-1)',
  );
  expect(because(order('node-drained', 'ingress'), left(9))).toBeUndefined();
  const claim = { ...order('move-vip-began', 'api'), node: 'cp-2', to: 'promote' };
  expect(because(claim, left(8, { to: 'BACKUP', reason: 'outranked' }), taken(9))).toBe(
    'move VIP began api → promote: kernel (by root@cp-1); cp-1 left MASTER: outranked',
  );
  expect(because(health(0, { node: 'cp-2' }), taken(9))).toBeUndefined();
});

test('a bonus that ended earlier is not why a node whose keepalived ended lost the VIP', () => {
  const lessWorth = health(0, { to: '0' });
  const died = lineAt(2_000, { kind: 'process', event: 'keepalived-died', reason: 'signal SIGKILL' });
  const ended = left(2_001, { to: 'STOP', reason: 'keepalived ended with signal SIGKILL' });
  expect(because(lessWorth, died, ended)).toBe('keepalived died: signal SIGKILL');
  expect(because(health(0), ended)).toBe('track value of api 30 → -254');
  expect(because(lessWorth, left(9, { to: 'BACKUP' }))).toBe('track value of api 30 → 0');
});

test('the loss of a VIP names the new holder, even if that was written later', () => {
  expect(likelyCauses([left(0, { to: 'BACKUP' }), taken(12)], 0)).toBe('cp-2 became MASTER');
});

test('of several moves the nearest one counts', () => {
  const lines = [left(0, { node: 'cp-3', reason: 'old' }), left(2_000, { reason: 'new' }), taken(2_012)];
  expect(likelyCauses(lines, 2)).toBe('cp-1 left MASTER: new');
});

test('an event that moves no VIP has no such cause', () => {
  expect(because(left(0), health(5))).toBeUndefined();
});

test('a holder that leaves after the take-over is reported as still MASTER', () => {
  const held = taken(0, { node: 'cp-1' });
  const later = left(8_900, { to: 'BACKUP', reason: 'outranked' });
  expect(likelyCauses([held, taken(6_000), later], 1)).toBe(
    'cp-1 was still MASTER, and gave it up 2.9 s later: outranked',
  );
});

test('a holder whose journal begins with its loss of the VIP is named, in either order of the entries', () => {
  const causes = (...lines: readonly JournalLine[]) => likelyCauses(lines, 0);
  expect(causes(taken(0), left(0))).toBe('cp-1 left MASTER: it cannot serve');
  expect(causes(taken(0), left(600))).toBe(
    'cp-1 was still MASTER, and gave it up 600 ms later: it cannot serve',
  );
  expect(causes(taken(0), left(5_001))).toBeUndefined();
  expect(causes(taken(0), left(0, { node: 'cp-2' }))).toBeUndefined();
  expect(causes(taken(0), taken(1, { node: 'cp-1' }), left(2))).toBeUndefined();
});

test('a holder that leaves only after a long partition is named with the time at which it left', () => {
  const held = taken(0, { node: 'cp-1' });
  const back = left(68_000, { to: 'BACKUP', reason: 'outranked' });
  expect(likelyCauses([held, taken(60_000), back], 1)).toBe(
    'cp-1 was still MASTER, and gave it up 8.0 s later: outranked',
  );
  const others = [health(61_000), taken(62_000, { node: 'cp-3' })];
  expect(likelyCauses([held, taken(60_000), ...others, back], 1)).toBe(
    'cp-1 was still MASTER, and gave it up 8.0 s later: outranked',
  );
  // The power was cut: the first entry after the boot is not a loss of the VIP.
  const booted = lineAt(68_000, { subject: 'API', from: 'UNKNOWN', to: 'BACKUP' });
  expect(likelyCauses([held, taken(60_000), booted, back], 1)).toBe(
    'cp-1 was the holder, and its journal does not record that it lost the VIP',
  );
});

test('a holder that took the VIP while it was reloaded is named', () => {
  const held = taken(0, { node: 'cp-1', reason: reloadReason });
  const later = left(8_900, { to: 'BACKUP', reason: 'outranked' });
  expect(likelyCauses([held, taken(6_000), later], 1)).toBe(
    'cp-1 was still MASTER, and gave it up 2.9 s later: outranked',
  );
  const backup = lineAt(1, { subject: 'API', from: 'MASTER', to: 'BACKUP', reason: reloadReason });
  expect(likelyCauses([backup, taken(6_000)], 1)).toBeUndefined();
});

test('the health of the API is not a cause for the ingress VIP, even if the cluster name contains "api"', () => {
  const moved = left(9, { subject: 'INGRESS' });
  expect(because(health(0), moved)).toBeUndefined();
  expect(because(health(0, { subject: 'ingress' }), moved)).toBeDefined();
});

test('a holder whose journal ends is named, with a note that its loss is not recorded', () => {
  expect(because(taken(0, { node: 'cp-1' }), taken(600_000))).toBe(
    'cp-1 was the holder, and its journal does not record that it lost the VIP',
  );
  const gone = left(1_000, { to: 'STOP' });
  expect(because(taken(0, { node: 'cp-1' }), gone, taken(600_000))).toBe(
    'cp-1 left MASTER 10 min before: it cannot serve',
  );
});

test('a backup that took the VIP at the same moment and gave it up is not the previous holder', () => {
  const rival = [
    taken(6_010, { node: 'cp-3' }),
    left(6_020, { node: 'cp-3', to: 'BACKUP', reason: 'cp-2 has more' }),
  ];
  const lines = [taken(0, { node: 'cp-1' }), left(6_000), ...rival, taken(6_025)];
  expect(because(...lines)).toBe('cp-1 left MASTER: it cannot serve');
});

test('a reload is not a move, and has no cause', () => {
  const reload = (ms: number, from: string, to: string) =>
    lineAt(ms, { subject: 'API', from, to, reason: reloadReason });
  const lines = [
    taken(0, { node: 'cp-1' }),
    health(6_001),
    reload(6_002, 'MASTER', 'BACKUP'),
    reload(6_003, 'BACKUP', 'MASTER'),
    left(6_004),
  ];
  expect([2, 3].map((index) => likelyCauses(lines, index))).toEqual([undefined, undefined]);
  expect(because(...lines, taken(6_009))).toBe('cp-1 left MASTER: it cannot serve');
});

test('a verdict logged just after the move is a cause too, but the end of a bonus is not', () => {
  const lines = [left(0), health(20), health(30, { from: '30', to: '0' })];
  expect(likelyCauses(lines, 0)).toBe('track value of api 30 → -254');
  expect(likelyCauses([left(0), health(501)], 0)).toBeUndefined();
  expect(likelyCauses([left(0), health(20, { to: '0' })], 0)).toBeUndefined();
});

test('the bonus of a node that has just taken the VIP is not why it leaves', () => {
  expect(because(health(0, { from: '0', to: '30' }), left(900, { to: 'BACKUP' }))).toBeUndefined();
  expect(because(health(0, { from: '0', to: '30' }), health(800, { to: '-30' }), left(900))).toBe(
    'track value of api 30 → -30',
  );
});

test('entries that are not causes do not displace one that is', () => {
  const rises = [1, 2, 3, 4, 5].map((ms) => health(ms, { from: '0', to: '30' }));
  expect(because(health(0), ...rises, left(9))).toBe('track value of api 30 → -254');
});

test('a node that can serve again names the last finding, and one that has started names none', () => {
  const again = lineAt(9, { subject: 'API', from: 'FAULT', to: 'BACKUP' });
  expect(because(health(0), health(5, { from: '-254', to: '0' }), again)).toBe('track value of api -254 → 0');
  const started = lineAt(9, { subject: 'API', from: 'UNKNOWN', to: 'BACKUP' });
  expect(because(health(0), started)).toBeUndefined();
});
