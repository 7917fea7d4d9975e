import { expect, test } from 'vitest';
import { type DrillReport, drillExitCode, drillLines } from '../../../../src/vip/steering/drill-report.ts';
import {
  exitCodeOf,
  type SteeringReport,
  steeringLines,
} from '../../../../src/vip/steering/steering-report.ts';

const drill: DrillReport = {
  ...{ v: 1, at: '2026-11-21T12:00:00.000Z', node: 'cp-1', vip: '10.0.0.5', interrupted: false, notes: [] },
  outcome: 'moved-and-back',
  plan: { step: 'yield', to: 'cp-2', why: 'it comes first', awayMs: 10_000 },
  there: { to: 'cp-2 (10.0.0.12)', tookMs: 312 },
  back: { to: 'this node', tookMs: 287 },
  client: {
    ...{ probe: 'https', everyMs: 20, timeoutMs: 1_000, attempts: 640, failed: 3 },
    ...{ longestGapMs: 40, failingMs: 10_020, failures: { ECONNRESET: 2, timeout: 1 }, lateMs: 3 },
  },
};

test('a drill is told in a few lines that fit', () => {
  const lines = drillLines(drill);
  expect(lines.join(' ')).toBe(
    'The VIP 10.0.0.5 went to cp-2 (10.0.0.12) within 312 ms, and back to this node within 287 ms. ' +
      'Of 640 connections to it 3 failed (2 ECONNRESET, 1 timeout); the longest gap was 40 ms, all within 10.0 s.',
  );
  expect(lines.every((line) => line.length <= 80)).toBe(true);
});

test('what was not lost, and what was not well measured, is said', () => {
  const { client } = drill;
  if (client === null) throw new Error('no client');
  const clean = { ...drill, client: { ...client, failed: 0, failures: {}, lateMs: 300 } };
  expect(drillLines(clean).join(' ')).toContain(
    'Of 640 connections to it 0 failed. This node was busy: an attempt began 300 ms late.',
  );
});

test.each<[DrillReport['outcome'], Partial<DrillReport>, number, string]>([
  ['moved', { back: null }, 0, 'went to cp-2 (10.0.0.12) within 312 ms.'],
  ['not-back', { back: null }, 1, 'It is not back: hawser move-vip'],
  ['not-moved', { there: null, back: null }, 1, 'The VIP 10.0.0.5 has not moved.'],
  ['refused', { there: null, back: null, client: null, notes: ['Cannot drill: no'] }, 1, 'Cannot drill: no'],
  ['unknown', { there: null, back: null, client: null, notes: ['Cannot ask'] }, 2, 'Cannot ask'],
  ['moved-and-back', { interrupted: true }, 1, 'and back to this node'],
  ['would-move', { there: null, back: null, client: null, notes: ['It goes'] }, 0, 'It goes'],
])('%s', (outcome, part, exitCode, words) => {
  const report = { ...drill, outcome, ...part };
  expect(drillExitCode(report)).toBe(exitCode);
  expect(drillLines(report).join(' ')).toContain(words);
});

test('of a drain each note is told, and who has which VIP', () => {
  const vip = { kind: 'api', vip: '10.0.0.5', holder: 'cp-2 (10.0.0.12)', here: false } as const;
  const report: SteeringReport = {
    ...{ v: 1, command: 'drain', node: 'cp-1', outcome: 'done', notes: ['cp-1 is drained'], tookMs: 300 },
    vips: [
      vip,
      { ...vip, kind: 'ingress', vip: '10.0.0.6', here: true },
      { ...vip, vip: '10.0.0.7', holder: null },
    ],
  };
  expect(steeringLines(report)).toEqual([
    'cp-1 is drained',
    'API VIP 10.0.0.5: cp-2 (10.0.0.12)',
    'ingress VIP 10.0.0.6: here',
    'API VIP 10.0.0.7: no node answers for it',
  ]);
  const codes = (['done', 'would-do', 'refused', 'not-done', 'unknown'] as const).map((outcome) =>
    exitCodeOf({ ...report, outcome }),
  );
  expect(codes).toEqual([0, 0, 1, 1, 2]);
});
