import {
  haproxyMonitorSays,
  haproxySupervisorSays,
  keepalivedMonitorSays,
  keepalivedSupervisorSays,
} from '../status-samples.ts';
import {
  answeredBy,
  backupHere,
  healthyHere,
  holdsHere,
  readyPeers,
  server,
  statusOf,
  without,
} from '../status-scenes.ts';
import { type ClusterStatus, type NodeStatus, programNames } from '../status-types.ts';

/** When the statuses below were taken. */
export const takenAt = healthyHere.at;

const MINUTE = 60_000;

/** Three healthy nodes, seen from `cp-1`, which has held the VIP for this long. */
export function healthy(sinceMs = 8_000_000): ClusterStatus {
  const instances = keepalivedSupervisorSays.instances.map((each) => ({ ...each, sinceMs }));
  return statusOf({ ...healthyHere, keepalivedSupervisor: { ...keepalivedSupervisorSays, instances } });
}

/** The HAProxy of `cp-1` has just died: `cp-2` has the VIP. */
export function failedOver(): ClusterStatus {
  const { instances = [], ...supervisor } = backupHere.keepalivedSupervisor ?? keepalivedSupervisorSays;
  const here: NodeStatus = {
    ...backupHere,
    haproxySupervisor: {
      ...haproxySupervisorSays,
      phase: 'starting',
      current: null,
      restart: { failures: 2, inMs: 500 },
    },
    haproxyMonitor: { ...haproxyMonitorSays, usable: false, redirect: 'absent' },
    keepalivedSupervisor: {
      ...supervisor,
      instances: instances.map((each) => ({ ...each, state: 'FAULT', sinceMs: 2_000 })),
    },
    keepalivedMonitor: {
      ...keepalivedMonitorSays,
      priorities: keepalivedMonitorSays.priorities.map((each) => ({
        ...each,
        value: -254,
        holder: false,
        checks: [{ check: 'HAProxy', state: 'failed', message: 'connection refused', sinceMs: 2_000 }],
        priorityTerms: [
          { points: 220, why: 'place 1 of 3 in the list' },
          { points: -254, why: 'HAProxy does not serve' },
        ],
        priority: -34,
      })),
    },
    servers: null,
  };
  return statusOf(here, answeredBy('cp-2'));
}

/** The VIP's monitor is silent, a server is down, an older generation drains, a peer's HAProxy does not answer. */
export function degraded(): ClusterStatus {
  const here: NodeStatus = {
    ...without(healthyHere, 'keepalived-monitor'),
    haproxySupervisor: {
      ...haproxySupervisorSays,
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
    servers: [
      server('cp-1'),
      server('cp-2'),
      server('cp-3', {
        state: 'down',
        sinceMs: 4 * MINUTE,
        check: 'L4CON in 0ms, connection refused',
        sessions: 0,
      }),
    ],
  };
  const looks = readyPeers.map((each, index) =>
    index === 0 ? each : { ...each, health: 'no-answer' as const },
  );
  return statusOf(here, holdsHere, looks);
}

/** Two nodes hold the VIP and do not hear each other. */
export function splitBrain(): ClusterStatus {
  return statusOf(healthyHere, { ...answeredBy('cp-2'), ownAddresses: holdsHere.ownAddresses });
}

/** No program of the node answers. */
export function nothingAnswers(): ClusterStatus {
  const here = { ...without(healthyHere, ...programNames), servers: null };
  return { ...statusOf(here, answeredBy('free'), []), vips: [] };
}

/** This many servers, the last of them down. */
export function manyServers(count: number): ClusterStatus {
  const servers = Array.from({ length: count }, (_, index) =>
    server(`cp-${index + 1}`, {
      address: `192.0.2.1:${index + 1}`,
      state: index === count - 1 ? 'down' : 'up',
    }),
  );
  return statusOf({ ...healthyHere, servers });
}
