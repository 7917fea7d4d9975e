import { expect, test } from 'vitest';
import { type Effect, effectKinds } from '../../../../src/operate/plan/change-cost.ts';
import { effectText, subjectOf } from '../../../../src/operate/plan/effect-text.ts';
import { planLines } from '../../../../src/operate/plan/plan-lines.ts';
import { exitCodeOf, type PlanReport, planSchema } from '../../../../src/operate/plan/report.ts';

const vip = '2001:db8:aaaa:bbbb:cccc:dddd:eeee:ffff';
const effects: readonly Effect[] = [
  { kind: 'haproxy-reload', endedWithinMs: 120_000 },
  { kind: 'servers', added: ['cp-4 10.0.0.4:6443'], removed: ['cp-2 10.0.0.2:6443'] },
  { kind: 'port-closed', where: ':::9445 (frontend main)', isLocal: false },
  { kind: 'load-balancer-away', endedWithinMs: 55_000 },
  { kind: 'redirect-away', vips: [vip, '192.0.2.100'] },
  { kind: 'keepalived-reload' },
  { kind: 'keepalived-away' },
  { kind: 'health-untold', doubtfulAfterMs: 3_000 },
  { kind: 'vip-moves', vip, because: 'health-port' },
  { kind: 'vip-interrupted', vip, forMs: 600 },
  { kind: 'vip-leaves', vip, isHeld: true },
  { kind: 'vip-appears', vip },
  { kind: 'peer-left-out', peer: '10.0.0.12', vip },
  { kind: 'vip-contested', vip, forMs: 500 },
  { kind: 'two-holders', vip, because: ['virtual-router-id', 'mode'] },
];

const report: PlanReport = {
  v: 1,
  verdict: 'changes',
  settings: '/etc/hawser/config.yaml',
  files: [
    {
      ...{ program: 'haproxy', path: '/etc/haproxy/haproxy.cfg', state: 'differs', problem: null },
      diff: '--- a\n+++ a\n@@ -1,1 +1,1 @@\n-old\u001b[2J\n+new\n',
    },
    {
      ...{ program: 'keepalived', path: '/etc/keepalived/keepalived.conf', state: 'refused', diff: '' },
      problem: 'Cannot use it\nline 3: unknown keyword',
    },
  ],
  manifests: [{ path: '/etc/kubernetes/manifests/haproxy.yaml', diff: '' }],
  restarts: [
    { container: 'haproxy', because: 'manifest', keys: [] },
    { container: 'haproxy-monitor', because: 'settings', keys: ['lbPort', 'healthPort'] },
    { container: 'keepalived', because: 'older-than-settings', keys: [] },
  ],
  cost: {
    level: 'interruption',
    effects: effects.map((effect) => ({
      ...{ kind: effect.kind, subject: subjectOf(effect), says: effectText(effect) },
    })),
    sessions: { now: 1, fate: 'cut', withinMs: 0 },
  },
  notes: ['a change to fast, unicast is agreed for 2026-11-21T12:00:00.000Z'],
  unknowns: [
    'the supervisor of haproxy does not answer: connect ENOENT /var/run/haproxy/haproxy-master.sock',
  ],
};

test('every effect is told in 80 columns', () => {
  expect(new Set(effects.map(({ kind }) => kind))).toEqual(new Set(effectKinds));
  const lines = planLines(report, { colours: false });
  expect(lines.filter((line) => line.length > 80)).toEqual([]);
  for (const { says } of report.cost.effects)
    expect(lines.join(' ').replaceAll(/\s+/g, ' ')).toContain(says.slice(0, 30));
});

test('what differs comes first, with nothing in it that a terminal would obey', () => {
  const lines = planLines(report, { colours: false });
  expect(lines.slice(0, 5)).toEqual(['--- a', '+++ a', '@@ -1,1 +1,1 @@', '-old·[2J', '+new']);
});

test("a refusal has the program's own words, and a single connection is one", () => {
  const text = planLines(report, { colours: false }).join('\n');
  expect(text).toContain('line 3: unknown keyword');
  expect(text).toContain('1 connection now; those through the VIP break off');
});

test('colours are there only when they are wanted', () => {
  expect(planLines(report, { colours: false }).join('')).not.toContain('\u001b');
  expect(planLines(report, { colours: true }).join('')).toContain('\u001b[32m+new');
});

test('the report is what its schema says', () => {
  expect(planSchema.parse(report)).toEqual(report);
});

test.each([
  ['nothing', 0],
  ['changes', 1],
  ['refused', 2],
  ['unknown', 2],
] as const)('%s is exit code %d', (verdict, code) => {
  expect(exitCodeOf({ ...report, verdict })).toBe(code);
});
