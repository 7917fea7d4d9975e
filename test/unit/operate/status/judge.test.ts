import { expect, test } from 'vitest';
import { failureProblem } from '../../../../src/engine/examine/problem.ts';
import { failureLines } from '../../../../src/engine/supervise/status-lines.ts';
import { exitCodeOf } from '../../../../src/operate/exit-code.ts';
import {
  haproxyMonitorSays,
  haproxySupervisorSays,
  keepalivedMonitorSays,
  keepalivedSupervisorSays,
} from '../../../helpers/status-samples.ts';
import {
  answeredBy,
  backupHere,
  healthyHere,
  program,
  readyPeers,
  server,
  statusOf,
  without,
} from '../../../helpers/status-scenes.ts';
import type { NodeStatus } from '../../../helpers/status-types.ts';

const problemsOf = (...scene: Parameters<typeof statusOf>) => statusOf(...scene).problems;
const monitorSays = (part: Partial<NonNullable<NodeStatus['haproxyMonitor']>>): NodeStatus => ({
  ...healthyHere,
  haproxyMonitor: { ...haproxyMonitorSays, ...part },
});

test('a healthy holder and a healthy backup have no problems', () => {
  expect(statusOf(healthyHere)).toMatchObject({ verdict: 'healthy', problems: [] });
  expect(statusOf(backupHere, answeredBy('cp-3'))).toMatchObject({ verdict: 'healthy', problems: [] });
  expect(exitCodeOf({ verdict: 'healthy' })).toBe(0);
});

test.each(['haproxy-supervisor', 'haproxy-monitor', 'keepalived-supervisor', 'keepalived-monitor'] as const)(
  'without %s the verdict is degraded, with the reason',
  (name) => {
    const status = statusOf(without(healthyHere, name));
    expect(status.verdict).toBe('degraded');
    expect(status.problems).toEqual([
      expect.stringMatching(
        new RegExp(`^${name} does not answer at 127\\.0\\.0\\.1:\\d+: nothing listens there$`),
      ),
    ]);
  },
);

test('a page that is switched off is not a problem', () => {
  const programs = healthyHere.programs.map((each) =>
    each.name === 'haproxy-supervisor' ? program(each.name, 'not-asked') : each,
  );
  expect(problemsOf({ ...healthyHere, programs, haproxySupervisor: null })).toEqual([]);
});

test('without any answer the verdict is unknown', () => {
  const names = healthyHere.programs.map(({ name }) => name);
  const nothing = { ...without(healthyHere, ...names), servers: null };
  const status = statusOf(nothing, answeredBy('free'), []);
  expect(status.verdict).toBe('unknown');
  expect(status.problems).toEqual([
    'no program of hawser answers on cp-1 (haproxy-supervisor at 127.0.0.1:29449: nothing listens there)',
  ]);
  expect(exitCodeOf(status)).toBe(2);
});

test('a missing holder and a second holder are reported first', () => {
  const servers = [server('cp-1', { state: 'down', sinceMs: 34_000, check: 'L4CON in 0ms' }), server('cp-2')];
  expect(problemsOf({ ...backupHere, servers }, answeredBy('free'))).toEqual([
    'api VIP 10.0.0.100: cp-1 sees no holder',
    'API server cp-1 (10.0.0.11:6443) has been down for 34 s: L4CON in 0ms',
  ]);
});

test('a drained server is a problem that names the annotation', () => {
  const servers = [server('cp-1', { state: 'maintenance' }), server('cp-2')];
  const drained = [{ name: 'cp-1', address: '10.0.0.11', port: 6443, drained: true as const }];
  const here = { ...monitorSays({ servers: drained }), servers };
  expect(problemsOf(here)).toEqual([
    'API server cp-1 (10.0.0.11:6443) is drained: its Node has hawser.dev/api-server=drain',
  ]);
  expect(problemsOf({ ...healthyHere, servers })[0]).toContain(
    'cp-1 (10.0.0.11:6443) has been in maintenance',
  );
});

test('every server down is an outage', () => {
  const servers = ['cp-1', 'cp-2'].map((name) => server(name, { state: 'down' }));
  expect(problemsOf({ ...healthyHere, servers })[0]).toBe('no API server is up');
});

test('a supervisor in trouble is a problem, even if its program works', () => {
  const trouble = 'a deadline was not handled';
  const haproxySupervisor = { ...haproxySupervisorSays, trouble };
  expect(problemsOf({ ...healthyHere, haproxySupervisor })).toEqual([`haproxy-supervisor: ${trouble}`]);
  const keepalivedSupervisor = { ...keepalivedSupervisorSays, trouble };
  expect(problemsOf({ ...healthyHere, keepalivedSupervisor })).toEqual([`keepalived-supervisor: ${trouble}`]);
});

test('an HAProxy that is down or hangs is a problem', () => {
  const down = { ...haproxySupervisorSays, current: null, phase: 'starting' as const };
  const restart = { failures: 2, inMs: 400 };
  const dead = { ...healthyHere, haproxySupervisor: { ...down, restart }, servers: null };
  expect(problemsOf(dead)[0]).toBe('HAProxy does not run: starting, next attempt within 1 s');
  expect(problemsOf({ ...healthyHere, servers: null })).toEqual([
    'HAProxy runs, but its statistics page does not answer',
  ]);
});

test('a refused configuration is reported by the program that refused it', () => {
  const change = { cause: 'template-changed', result: 'rejected', message: 'Cannot use …', agoMs: 90_000 };
  expect(problemsOf(monitorSays({ lastChange: change }))).toEqual([
    'haproxy.cfg: change (template-changed) rejected 1 min ago: Cannot use …',
  ]);
  const lastFailure = { stage: 'prove', message: 'it did not serve', agoMs: 5_000 };
  expect(
    problemsOf({ ...healthyHere, haproxySupervisor: { ...haproxySupervisorSays, lastFailure } }),
  ).toEqual([`HAProxy's configuration was refused 5 s ago at "prove": it did not serve`]);
});

test('a configuration that could not be checked is not reported as refused', () => {
  const lastFailure = { stage: 'unchecked', message: 'it did not finish', agoMs: 5_000 };
  expect(failureProblem('keepalived', lastFailure)).toMatchObject({
    text: `keepalived's configuration was not checked 5 s ago at "unchecked": it did not finish`,
  });
  expect(failureLines({ lastFailure })).toEqual(['not checked 5.0 s ago at "unchecked": it did not finish']);
});

test('an HAProxy monitor that cannot read or write is a problem', () => {
  expect(problemsOf(monitorSays({ apiReachable: false }))[0]).toMatch(
    /^no API server answers the HAProxy monitor/,
  );
  expect(problemsOf(monitorSays({ held: 'missing-servers-still-answer: cp-3' }))[0]).toMatch(
    /held back: missing-servers/,
  );
  expect(problemsOf(monitorSays({ redirect: 'absent' }))).toEqual([
    'the VIP is not redirected to HAProxy on this node',
  ]);
  expect(problemsOf(monitorSays({ redirect: 'failed', redirectProblem: 'no nft' }))).toEqual(['no nft']);
  expect(problemsOf(monitorSays({ redirect: 'absent', usable: false }))).toEqual([
    'HAProxy has no usable server (/haproxy_monitor)',
  ]);
});

const [standing] = keepalivedMonitorSays.priorities;
const standingWith = (part: Partial<NonNullable<typeof standing>>): NodeStatus => ({
  ...backupHere,
  keepalivedMonitor: {
    ...keepalivedMonitorSays,
    priorities: keepalivedMonitorSays.priorities.map((each) => ({ ...each, holder: false, ...part })),
  },
});

test('a failing check that prevents a takeover is a problem, a drained node is not', () => {
  const checks = (standing?.checks ?? []).map((check) =>
    check.check === 'HAProxy' || check.check === '/haproxy_ready' || check.check === 'other nodes'
      ? { ...check, state: 'failed' as const, message: `${check.check} is bad` }
      : check,
  );
  expect(problemsOf(standingWith({ checks }), answeredBy('cp-2'))).toEqual([
    'api VIP: HAProxy: HAProxy is bad',
    'api VIP: other nodes: other nodes is bad',
  ]);
  const drained = { order: 'drained' };
  expect(problemsOf(standingWith(drained), answeredBy('cp-2'))).toEqual([]);
  const down = [server('cp-1', { state: 'down' }), server('cp-2')];
  const failing = { ...standingWith({ ...drained, checks }), servers: down };
  expect(problemsOf(failing, answeredBy('cp-2'))).toEqual(
    // After the problems that clients notice, because no client depends on a drained node.
    [
      expect.stringContaining('API server cp-1'),
      'api VIP: HAProxy: HAProxy is bad',
      'api VIP: other nodes: other nodes is bad',
    ],
  );
  expect(problemsOf({ ...standingWith({ checks }), servers: down }, answeredBy('cp-2'))[0]).toContain(
    'HAProxy is bad',
  );
});

test("a peer whose HAProxy does not answer or is not ready is reported after this node's problems", () => {
  const servers = [server('cp-1', { state: 'down' }), server('cp-2')];
  const [first, second] = readyPeers;
  if (first === undefined || second === undefined) throw new Error('expected two peers');
  const looks = [
    { ...first, health: 'not-ready' as const },
    { ...second, health: 'no-answer' as const },
  ];
  expect(problemsOf({ ...healthyHere, servers }, undefined, looks)).toEqual([
    expect.stringMatching(/^API server cp-1 /),
    'cp-2: its HAProxy (10.0.0.12) is not ready from here',
    'cp-3: its HAProxy (10.0.0.13) does not answer from here',
  ]);
});

test('a holder with a silent supervisor and no VIP is not trusted, because its keepalived may be dead', () => {
  const evidence = { ...answeredBy('cp-2'), ownAddresses: new Set<string>() };
  const status = statusOf(without(healthyHere, 'keepalived-supervisor'), evidence);
  expect(status.problems[0]).toBe(
    '10.0.0.100 is not on this node, but its supervisor last reported MASTER: keepalived may be dead',
  );
});

test('a server that is down on an extra port is a problem, and an outage if no other server is up', () => {
  const up = server('cp-1');
  const down = server('cp-2', { state: 'down', check: 'L4CON' });
  const at = (...servers: readonly (typeof up)[]) => ({
    ...healthyHere,
    extraPorts: [{ name: 'rke2', servers: [...servers] }],
  });
  expect(problemsOf(at(up, up))).toEqual([]);
  expect(statusOf(at(up, down))).toMatchObject({
    verdict: 'degraded',
    problems: ['extra port rke2: cp-2 down (L4CON)'],
  });
  expect(statusOf(at(down, down)).problems).toEqual([
    'no server of extra port rke2 is up: cp-2 down (L4CON); cp-2 down (L4CON)',
  ]);
});

test('a server that is drained on every port is one problem', () => {
  const away = server('cp-2', { state: 'maintenance' });
  const scene = {
    ...healthyHere,
    servers: [server('cp-1'), away],
    extraPorts: [{ name: 'rke2', servers: [server('cp-1'), away] }],
    haproxyMonitor: {
      ...haproxyMonitorSays,
      servers: [{ name: 'cp-2', address: '10.0.0.12', port: 6443, drained: true as const }],
    },
  };
  expect(problemsOf(scene)).toEqual([expect.stringContaining('API server cp-2 (10.0.0.12:6443) is drained')]);
});

test('an extra port that the template does not render is an outage of that port', () => {
  const rke2 = { name: 'rke2', port: 9345, listenPort: 19_345, serverPort: 9345 };
  const scene = monitorSays({ extraPorts: [rke2] });
  const problem = 'HAProxy does not serve extra port rke2: its template prints no backend extra_rke2';
  expect(problemsOf(scene)).toEqual([problem]);
  expect(problemsOf({ ...scene, servers: null })).not.toContain(problem);
  expect(problemsOf({ ...scene, extraPorts: [{ name: 'rke2', servers: [server('cp-1')] }] })).toEqual([]);
});

test('a metrics listener that could not be opened is a problem of its pod', () => {
  const metricsProblem = 'Cannot use --metrics-token-file "/t": it is empty, expected a token';
  const scene = {
    ...monitorSays({ metricsProblem }),
    keepalivedMonitor: { ...keepalivedMonitorSays, metricsProblem },
  };
  expect(problemsOf(scene)).toEqual([
    `metrics of the pod haproxy are not served: ${metricsProblem}`,
    `metrics of the pod keepalived are not served: ${metricsProblem}`,
  ]);
});
