import { expect, test } from 'vitest';
import { loadBalancerEffects } from '../../../../src/api-lb/load-balancer-cost.ts';
import { planned } from '../../../../src/commands/products.ts';
import type { VrrpInstanceFacts } from '../../../../src/keepalived/vrrp-facts.ts';
import { planLines } from '../../../../src/operate/plan/plan-lines.ts';
import { exitCodeOf, type PlanReport, planSchema } from '../../../../src/operate/plan/report.ts';
import { type VrrpChange, vrrpEffects } from '../../../../src/vip/vrrp-cost.ts';

const vip = '2001:db8:aaaa:bbbb:cccc:dddd:eeee:ffff';

const facts = {
  listeners: [{ proxy: 'frontend main', address: ':::9445' }],
  servers: ['cp-2 10.0.0.2:6443'],
};
const haproxy = {
  configuration: { before: facts, after: { listeners: [], servers: [] }, takes: 'reload' as const },
  restarts: new Set<string>(),
  vipPort: { before: 6443, after: 6443 },
  ...{ heldVips: [vip], sessions: 1, forceDeleteTimeoutMs: 120_000, drainTimeoutMs: 55_000 },
};
const api: VrrpInstanceFacts = {
  ...{ name: 'API', interface: 'eth0', virtualRouterId: 77, mode: 'unicast', peers: ['10.0.0.12'] },
  ...{ vips: [vip], advertIntervalMs: 500, downTimerAdverts: 3, takeOverMs: 600 },
};
const keepalived: VrrpChange = {
  before: { version: 3, instances: [api] },
  after: { version: 3, instances: [{ ...api, vips: ['192.0.2.100'], peers: [] }] },
  ...{ isReloaded: true, wasAlone: false, isAlone: false, restarts: new Set<string>() },
  ...{ healthPort: { before: 1, after: 2 }, monitorTimeoutMs: 3_000, held: new Set(['API']) },
};
const vrrp = (instance: Partial<VrrpInstanceFacts>): VrrpChange['after'] => ({
  version: 2,
  instances: [{ ...api, ...instance }],
});
const restarts = new Set(['haproxy', 'haproxy-monitor', 'keepalived', 'keepalived-monitor']);

/** One or more of each kind. */
const effects = [
  ...loadBalancerEffects(haproxy),
  ...loadBalancerEffects({ ...haproxy, restarts }),
  ...loadBalancerEffects({ ...haproxy, configuration: { ...haproxy.configuration, takes: 'change' } }),
  ...vrrpEffects(keepalived),
  ...vrrpEffects({ ...keepalived, restarts }),
  ...vrrpEffects({ ...keepalived, restarts, wasAlone: true }),
  ...vrrpEffects({ ...keepalived, after: vrrp({}) }),
  ...vrrpEffects({
    ...keepalived,
    after: { version: 3, instances: [{ ...api, advertIntervalMs: 200 }] },
  }),
  ...vrrpEffects({
    ...keepalived,
    held: new Set(),
    after: { version: 3, instances: [{ ...api, peers: [], advertIntervalMs: 50 }] },
  }),
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
    effects: effects.map(({ kind, subject, says }) => ({ kind, subject: subject ?? null, says })),
    sessions: { now: 1, fate: 'cut', withinMs: 0 },
  },
  notes: ['a change to fast, unicast is agreed for 2026-11-21T12:00:00.000Z'],
  unknowns: [
    'the supervisor of haproxy does not answer: connect ENOENT /var/run/haproxy/haproxy-master.sock',
  ],
};

test('every effect is told in 80 columns', () => {
  expect(new Set(effects.map(({ kind }) => kind))).toEqual(
    new Set(planned.flatMap(({ effectLabels }) => Object.keys(effectLabels))),
  );
  const lines = planLines(report, planned, { colours: false });
  expect(lines.filter((line) => line.length > 80)).toEqual([]);
  for (const { says } of report.cost.effects)
    expect(lines.join(' ').replaceAll(/\s+/g, ' ')).toContain(says.slice(0, 30));
});

test('what differs comes first, with nothing in it that a terminal would obey', () => {
  const lines = planLines(report, planned, { colours: false });
  expect(lines.slice(0, 5)).toEqual(['--- a', '+++ a', '@@ -1,1 +1,1 @@', '-old·[2J', '+new']);
});

test("a refusal has the program's own words, and a single connection is one", () => {
  const text = planLines(report, planned, { colours: false }).join('\n');
  expect(text).toContain('line 3: unknown keyword');
  expect(text).toContain('1 connection now; those through the VIP break off');
});

test('colours are there only when they are wanted', () => {
  expect(planLines(report, planned, { colours: false }).join('')).not.toContain('\u001b');
  expect(planLines(report, planned, { colours: true }).join('')).toContain('\u001b[32m+new');
});

test('the report is what its schema says', () => {
  expect(planSchema(planned).parse(report)).toEqual(report);
});

test.each([
  ['nothing', 0],
  ['changes', 1],
  ['refused', 2],
  ['unknown', 2],
] as const)('%s is exit code %d', (verdict, code) => {
  expect(exitCodeOf({ ...report, verdict })).toBe(code);
});
