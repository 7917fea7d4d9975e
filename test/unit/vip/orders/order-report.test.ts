import { expect, test } from 'vitest';
import { exitCodeOf, type OrderReport, orderLines } from '../../../../src/vip/orders/order-report.ts';

test('the report of a drain has each note and the holder of each VIP', () => {
  const vip = { kind: 'api', vip: '10.0.0.5', holder: 'cp-2 (10.0.0.12)', here: false } as const;
  const report: OrderReport = {
    v: 1,
    command: 'drain',
    node: 'cp-1',
    outcome: 'done',
    notes: ['cp-1 is drained'],
    tookMs: 300,
    probe: null,
    vips: [
      vip,
      { ...vip, kind: 'ingress', vip: '10.0.0.6', here: true },
      { ...vip, vip: '10.0.0.7', holder: null },
    ],
  };
  expect(orderLines(report)).toEqual([
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

const moved: OrderReport = {
  v: 1,
  command: 'move-vip',
  node: 'a',
  outcome: 'done',
  notes: [],
  vips: [],
  tookMs: 30,
  probe: {
    from: 'a',
    how: 'https',
    target: '10.0.0.5:6443',
    holder: 'b',
    answeredMs: 41,
    attempts: 412,
    failed: 0,
    longestGapMs: 38,
  },
};

test('a move prints the longest gap, the failed probes, and where the probe ran', () => {
  expect(orderLines(moved).join(' ')).toBe(
    'VIP answered from b after 41 ms; longest gap 38 ms (412 probes, 0 failed) ' +
      'Probed from a with HTTPS requests to 10.0.0.5:6443: locally until the move, over the network after it.',
  );
  const claimed = { ...moved, probe: moved.probe && { ...moved.probe, holder: 'a' } };
  expect(orderLines(claimed).join(' ')).toContain('over the network until the move, locally after it');
});

test('a move after which nothing answers is reported', () => {
  const probe = moved.probe && { ...moved.probe, answeredMs: null, longestGapMs: null, failed: 412 };
  expect(orderLines({ ...moved, probe }).join(' ')).toContain(
    'The VIP moved to b, but nothing answered at 10.0.0.5:6443 from there (412 probes, 412 failed)',
  );
});
