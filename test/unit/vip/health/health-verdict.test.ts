import { expect, test } from 'vitest';
import type { Participation } from '../../../../src/keepalived/participation-note.ts';
import { type OrderEffect, TRACK } from '../../../../src/keepalived/track-value.ts';
import { type CheckRow, createHealthVerdict } from '../../../../src/vip/health/health-verdict.ts';

const url = { secure: false, host: '127.0.0.1', port: 1936, path: '/healthz/ready' };

const optionsOf = (holder: boolean): Parameters<typeof createHealthVerdict>[0] => ({
  url,
  kind: 'ingress',
  peersAreOpen: true,
  localRole: () => ({ role: holder ? 'holder' : 'backup', ageMs: 0 }),
  participation: () => ({ state: 'in' }),
  priority: () => 210,
  order: () => 'none',
});

const verdictOf = (
  peersAreOpen: boolean,
  holder = true,
  order: OrderEffect | (() => OrderEffect) = 'none',
) => {
  const verdict = createHealthVerdict({
    ...optionsOf(holder),
    peersAreOpen,
    order: typeof order === 'function' ? order : () => order,
  });
  verdict.live('serving');
  return verdict;
};

const rowOf = (verdict: ReturnType<typeof verdictOf>, check: string): CheckRow | undefined =>
  verdict.view().checks.find((row) => row.check === check);

const serving = { asked: ['cp-2', 'cp-3'], serving: ['cp-3'] };
const silent = { asked: ['cp-2', 'cp-3'], serving: [] };

test('a holder whose server dies is in FAULT if a peer serves', () => {
  const verdict = verdictOf(true);
  verdict.peers(serving);
  verdict.live('dead');
  expect(verdict.value()).toBe(TRACK.fault);
});

test('without a health check the value is that of a healthy node from the start', () => {
  for (const [holder, value] of [
    [true, TRACK.healthyHolder],
    [false, TRACK.healthy],
  ] as const) {
    const verdict = createHealthVerdict({ ...optionsOf(holder), url: undefined });
    expect([verdict.isKnown(), verdict.value()]).toEqual([true, value]);
    expect(verdict.explanation()).toContain('the ingress router is not checked');
    expect(verdict.view().checks.map(({ check }) => check)).toEqual(['damping', 'participation']);
  }
});

test.each<Participation>([
  { state: 'waiting', reason: 'peers-reload', until: Number.POSITIVE_INFINITY },
  { state: 'out', reason: 'removed' },
])('a healthy node that is $state is in FAULT, with the reason', (participation) => {
  const verdict = createHealthVerdict({ ...optionsOf(true), participation: () => participation });
  verdict.live('serving');
  expect(verdict.value()).toBe(TRACK.fault);
  expect(verdict.explanation()).toContain(`${participation.state}: `);
  expect(verdict.view().addends).toEqual([{ points: TRACK.fault, why: verdict.explanation() }]);
});

test('if no peer serves either, nothing moves', () => {
  const verdict = verdictOf(true);
  verdict.peers(silent);
  verdict.live('dead');
  expect(verdict.value()).toBe(TRACK.healthyHolder);
});

test('a dead server does not count as the best while the local API server answers', () => {
  const verdict = createHealthVerdict({ ...optionsOf(true), kind: 'api' });
  verdict.peers(silent);
  verdict.live('dead');
  expect(verdict.value()).toBe(TRACK.healthyHolder);
  verdict.onLocalApiProbe({ ok: true, detail: 'HTTP 200' });
  expect(verdict.value()).toBe(TRACK.fault);
  expect(rowOf(verdict, 'local API server')).toMatchObject({ state: 'ok', message: 'HTTP 200' });
});

test('peers that may be unreachable count as down only once one of them has served', () => {
  const verdict = verdictOf(false);
  verdict.peers(silent);
  verdict.live('hung');
  expect(verdict.value()).toBe(TRACK.fault);
  verdict.peers(serving);
  verdict.peers(silent);
  expect(verdict.value()).toBe(TRACK.healthyHolder);
});

test.each([true, false])('a single node keeps its VIP while its server is dead', (peersAreOpen) => {
  const verdict = verdictOf(peersAreOpen);
  verdict.peers({ asked: [], serving: [] });
  verdict.live('dead');
  expect(verdict.value()).toBe(TRACK.healthyHolder);
  verdict.peers({ asked: ['cp-2'], serving: ['cp-2'] });
  verdict.sample();
  expect(verdict.value()).toBe(TRACK.fault);
});

test('a server that has recovered is doubtful for a while, with the reason', () => {
  const verdict = verdictOf(true, false);
  verdict.live('dead');
  verdict.live('serving');
  expect(verdict.value()).toBe(TRACK.doubtful);
  expect(verdict.isHealthy()).toBe(false);
  expect(verdict.explanation()).toMatch(
    /^the ingress router serves again, but is doubtful \(damped: the check has failed once/,
  );
  expect(rowOf(verdict, 'damping')).toMatchObject({
    state: 'doubtful',
    message: expect.stringMatching(/^damped/),
  });
});

test("an operator's order changes the value", () => {
  expect(verdictOf(true, true, 'drain').value()).toBe(TRACK.drainedHolder);
  expect(210 + verdictOf(true, false, 'promote').value()).toBe(254);
});

test('the message of the failing check is in the log and in the status', () => {
  const verdict = verdictOf(true);
  verdict.peers(serving);
  expect(verdict.explanation()).toBe('the ingress router serves; it holds the VIP');
  verdict.polled({ ok: false, detail: 'HTTP 503' });
  verdict.live('unready');
  expect(verdict.value()).toBe(TRACK.fault);
  expect(verdict.explanation()).toBe(
    'the ingress router does not serve (unready, 127.0.0.1:1936 answers with an error)',
  );
  verdict.live('hung');
  expect(verdict.explanation()).toMatch(/\(hung, 127\.0\.0\.1:1936 accepts and does not answer\)$/);
  verdict.live('dead');
  expect(verdict.explanation()).toMatch(/\(dead, nothing listens on 127\.0\.0\.1:1936\)$/);
  expect(rowOf(verdict, 'the ingress router')?.state).toBe('failed');
  expect(rowOf(verdict, '/healthz/ready')).toMatchObject({ state: 'failed', message: 'HTTP 503' });
  expect(rowOf(verdict, 'other nodes')).toMatchObject({ state: 'ok', message: 'cp-3 could serve' });
  expect(rowOf(verdict, 'local API server')).toBe(undefined);
});

test('a check reports how long it has had its state', () => {
  const verdict = verdictOf(true);
  expect(rowOf(verdict, 'other nodes')).toMatchObject({ state: 'unknown', sinceMs: null });
  verdict.peers(serving);
  expect(rowOf(verdict, 'other nodes')?.sinceMs).toBeGreaterThanOrEqual(0);
});

test('reading the view of a verdict does not advance an order', () => {
  let order = 0;
  const verdict = verdictOf(true, true, () => {
    order += 1;
    return 'demote';
  });
  verdict.sample();
  const before = order;
  expect(verdict.view().addends).toMatchObject([{}, {}, { why: 'it gives the VIP away' }]);
  verdict.explanation();
  expect(order).toBe(before);
});
