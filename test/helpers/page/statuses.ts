import { type ClusterStatus, clusterStatusSchema, type NodeStatus, programNames } from '../status-types.ts';

/** When the statuses below were taken. */
export const takenAt = '2026-01-05T03:42:07.000Z';
export const vip = '192.0.2.100';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const names = ['cp-1', 'cp-2', 'cp-3'];
const places = [220, 210, 200];
const hash = (digit: string) => digit.repeat(64);

export interface NodeOptions {
  readonly name?: string;
  readonly holder?: boolean;
  readonly sinceMs?: number;
}

export function addressOf(name: string): string {
  return `192.0.2.1${name.slice(-1)}`;
}

/** A healthy node: everything answers. */
export function nodeStatus({
  name = 'cp-1',
  holder = false,
  sinceMs = 3 * HOUR,
}: NodeOptions = {}): NodeStatus {
  const place = places[names.indexOf(name)] ?? 190;
  const addends = holder
    ? [{ points: 30, why: 'healthy, and it holds the VIP' }]
    : [{ points: 0, why: 'healthy' }];
  const priority = place + (holder ? 30 : 0);
  return {
    at: takenAt,
    node: name,
    programs: programNames.map((program) => ({
      name: program,
      state: 'answers',
      address: '127.0.0.1:29446',
      problem: null,
    })),
    haproxySupervisor: {
      ok: true,
      phase: 'serving',
      draining: [],
      reload: null,
      restart: null,
      lastFailure: null,
      current: {
        generation: 7,
        pid: 4242,
        workers: [4243],
        ageMs: 26 * MINUTE,
        sessions: 538,
        config: 'live',
        configSha256: hash('a'),
      },
    },
    haproxyMonitor: {
      version: '0.1.0',
      source: 'nodes',
      apiReachable: true,
      held: null,
      configSha256: hash('a'),
      servers: names.map((each) => ({ name: each, address: addressOf(each), port: 6443 })),
      usable: true,
      redirect: 'present',
      redirectProblem: null,
      lastChange: { cause: 'servers-changed', result: 'reloaded', agoMs: 26 * MINUTE },
    },
    keepalivedSupervisor: {
      ok: true,
      phase: 'running',
      wanted: 'up',
      reload: null,
      restarts: 0,
      restart: null,
      lastFailure: null,
      current: { pid: 4300, ageMs: 9 * HOUR, generation: 3, configSha256: hash(name.slice(-1)) },
      instances: [
        {
          name: 'API',
          state: holder ? 'MASTER' : 'BACKUP',
          priority,
          sinceMs,
          vips: [{ address: vip, present: holder }],
        },
      ],
      trackFiles: [{ path: '/run/lb', instances: ['API'], value: holder ? 30 : 0, silent: false }],
      lastTransition: {
        instance: 'API',
        from: 'BACKUP',
        to: holder ? 'MASTER' : 'BACKUP',
        priority,
        agoMs: sinceMs,
        reason: holder ? 'no advert of a node with a higher priority' : 'keepalived has started',
      },
    },
    keepalivedMonitor: {
      version: '0.1.0',
      clusterName: 'prod-eu-1',
      priorities: [
        {
          kind: 'api',
          vips: [vip],
          value: holder ? 30 : 0,
          holder,
          priority,
          order: null,
          participation: { state: 'in', reason: null, untilMs: null },
          checks: [
            { check: 'HAProxy', state: 'ok', message: '/haproxy_ready answers', sinceMs: 26 * MINUTE },
            { check: 'API server', state: 'ok', message: '/readyz says ok', sinceMs: 9 * HOUR },
          ],
          priorityTerms: [{ points: place, why: `${names.indexOf(name) + 1} of 3 by name` }, ...addends],
        },
      ],
      group: names.map((each, index) => ({
        name: each,
        address: addressOf(each),
        priority: places[index] ?? 0,
        self: each === name,
      })),
      configSha256: hash(name.slice(-1)),
      splitBrain: [],
      virtualRouterIdTaken: null,
      lastChange: { cause: 'start', result: 'reloaded', agoMs: 9 * HOUR },
    },
    servers: names.map((each) => ({
      name: each,
      address: `${addressOf(each)}:6443`,
      state: 'up',
      sinceMs: 9 * HOUR,
      check: 'L7OK/200 in 3ms',
      sessions: 180,
    })),
  };
}

/** Another node, as it is seen from this one. */
export function peerStatus(
  name: string,
  health: 'ready' | 'not-ready' | 'no-answer' = 'ready',
  holds: readonly string[] = [],
): ClusterStatus['peers'][number] {
  return { name, address: addressOf(name), health, holds: [...holds] };
}

/** Three healthy nodes, seen from `cp-1`, which holds the VIP. */
export function healthy(): ClusterStatus {
  return checked({
    v: 1,
    verdict: 'healthy',
    problems: [],
    vips: [{ vip, kind: 'api', holders: ['cp-1'] }],
    here: nodeStatus({ holder: true }),
    peers: [peerStatus('cp-2'), peerStatus('cp-3')],
  });
}

/** The HAProxy of `cp-1` has died a moment ago: `cp-2` has the VIP. */
export function failedOver(): ClusterStatus {
  const here = nodeStatus({ sinceMs: 2_000 });
  const instances = here.keepalivedSupervisor?.instances ?? [];
  const [vipPriority] = here.keepalivedMonitor?.priorities ?? [];
  return checked({
    v: 1,
    verdict: 'degraded',
    problems: ['cp-1: HAProxy does not answer, its track value is -254'],
    vips: [
      {
        vip,
        kind: 'api',
        holders: ['cp-2'],
      },
    ],
    here: {
      ...here,
      haproxySupervisor: here.haproxySupervisor && {
        ...here.haproxySupervisor,
        phase: 'starting',
        current: null,
        restart: { failures: 2, inMs: 500 },
      },
      haproxyMonitor: here.haproxyMonitor && { ...here.haproxyMonitor, usable: false, redirect: 'absent' },
      keepalivedSupervisor: here.keepalivedSupervisor && {
        ...here.keepalivedSupervisor,
        instances: instances.map((each) => ({ ...each, state: 'FAULT' })),
      },
      keepalivedMonitor: here.keepalivedMonitor && {
        ...here.keepalivedMonitor,
        priorities: vipPriority === undefined ? [] : [failedPriority(vipPriority)],
      },
      servers: null,
    },
    peers: [peerStatus('cp-2', 'ready', [vip]), peerStatus('cp-3')],
  });
}

type VipPriority = NonNullable<NodeStatus['keepalivedMonitor']>['priorities'][number];

function failedPriority(vipPriority: VipPriority): VipPriority {
  return {
    ...vipPriority,
    value: -254,
    checks: [{ check: 'HAProxy', state: 'failed', message: 'connection refused', sinceMs: 2_000 }],
    priorityTerms: [
      { points: 220, why: '1 of 3 by name' },
      { points: -254, why: 'HAProxy does not serve' },
    ],
    priority: -34,
  };
}

/** The VIP's monitor is silent, a server is down, an older generation drains, a peer's HAProxy does not answer. */
export function degraded(): ClusterStatus {
  const here = nodeStatus({ holder: true });
  return checked({
    v: 1,
    verdict: 'degraded',
    problems: [
      'keepalived-monitor of cp-1 is silent: cannot connect to 127.0.0.1:29447',
      'API server cp-3 is down for 4 min: L4CON in 0ms, connection refused',
    ],
    vips: [{ vip, kind: 'api', holders: ['cp-1'] }],
    here: {
      ...here,
      programs: here.programs.map((each) =>
        each.name === 'keepalived-monitor'
          ? { ...each, state: 'silent', problem: 'cannot connect to 127.0.0.1:29447' }
          : each,
      ),
      keepalivedMonitor: null,
      haproxySupervisor: here.haproxySupervisor && {
        ...here.haproxySupervisor,
        draining: [
          {
            generation: 6,
            pid: 4100,
            workers: [4101],
            ageMs: 40_000,
            sessions: 12,
            terminateInMs: 80_000,
            sent: 'soft-stop',
            reason: 'a newer generation serves',
          },
        ],
        lastFailure: {
          stage: 'check',
          message: 'Cannot use configuration "/etc/haproxy/haproxy.cfg"',
          detail: "[ALERT] (4411) : unknown keyword 'bad' in 'defaults' section",
          agoMs: 12 * MINUTE,
        },
      },
      servers: (here.servers ?? []).map((each) =>
        each.name === 'cp-3'
          ? {
              ...each,
              state: 'down',
              sinceMs: 4 * MINUTE,
              check: 'L4CON in 0ms, connection refused',
              sessions: 0,
            }
          : each,
      ),
    },
    peers: [peerStatus('cp-2'), peerStatus('cp-3', 'no-answer')],
  });
}

/** Two nodes hold the VIP and do not hear each other. */
export function splitBrain(): ClusterStatus {
  const status = healthy();
  return checked({
    ...status,
    verdict: 'degraded',
    problems: [`${vip} is held by cp-1 and cp-2 at once`],
    vips: [{ vip, kind: 'api', holders: ['cp-1', 'cp-2'] }],
    peers: [peerStatus('cp-2', 'ready', [vip]), peerStatus('cp-3')],
  });
}

/** No program of the node answers. */
export function nothingAnswers(): ClusterStatus {
  const here = nodeStatus();
  return checked({
    v: 1,
    verdict: 'unknown',
    problems: ['nothing answers on this node'],
    vips: [],
    peers: [],
    here: {
      ...here,
      programs: here.programs.map((each) => ({ ...each, state: 'silent', problem: 'no such file' })),
      haproxySupervisor: null,
      haproxyMonitor: null,
      keepalivedSupervisor: null,
      keepalivedMonitor: null,
      servers: null,
    },
  });
}

/** So many servers, the last of them down. */
export function manyServers(count: number): ClusterStatus {
  const status = healthy();
  const servers = Array.from({ length: count }, (_, index) => ({
    name: `cp-${index + 1}`,
    address: `192.0.2.1:${index + 1}`,
    sessions: index,
    sinceMs: 9 * HOUR,
    check: 'L7OK/200 in 3ms',
    state: index === count - 1 ? ('down' as const) : ('up' as const),
  }));
  return checked({ ...status, verdict: 'degraded', here: { ...status.here, servers } });
}

/** A fixture that the command would never print proves nothing. */
function checked(status: ClusterStatus): ClusterStatus {
  return clusterStatusSchema.parse(status);
}
