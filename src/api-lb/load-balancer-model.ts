import { type ApiServer, endpointOf, sortServers } from '../engine/kube/api-server.ts';
import { LEAVING_VARIABLE } from '../haproxy/leaving-variable.ts';
import type {
  HealthCheck,
  LoadBalancerModel,
  LoadBalancerServer,
  LoadBalancerSettings,
} from './load-balancer.ts';

/** Connections left for the kubelet's probe and the stats page when clients have used up theirs. */
const PROBE_CONNECTIONS = 100;
const CLIENT_CONNECTIONS = 40_000;

/**
 * What the HAProxy template gets. All decisions that are not an operator's are made here; the template says why each
 * value is what it is, next to where it prints it. Servers keep the order of their names, whatever order they came in.
 */
export function loadBalancerModel(
  settings: LoadBalancerSettings,
  servers: readonly ApiServer[],
): LoadBalancerModel {
  const { lbPort, statPort, healthPort, apiPort, statsSocket, stateFile } = settings;
  const inRotation = serversInRotation(servers);
  return {
    anyAddress: settings.hasIpv6 === false ? '0.0.0.0' : '::',
    ports: { lbPort, statPort, healthPort, apiPort },
    clusterName: settings.clusterName ?? null,
    servers: sortServers(servers).map((server) => withEndpoint(server, inRotation)),
    statsSocket,
    stateFile,
    leavingVariable: LEAVING_VARIABLE,
    logTarget: 'stdout',
    logConnections: settings.logConnections === true,
    maxconn: { clients: CLIENT_CONNECTIONS, total: CLIENT_CONNECTIONS + PROBE_CONNECTIONS },
    timeouts: {
      attempt: '250ms',
      connect: '3s',
      client: '1m',
      server: '1m',
      tunnel: '24h',
      fin: '1s',
      check: '10s',
      probe: '5s',
      closeSpread: '5s',
    },
    redispatches: 9,
    retries: 2,
    keepalive: { idle: '60s', interval: '10s', count: 6 },
    check: healthCheck({ interSeconds: 5, fastinterSeconds: 2, fall: 2, rise: riseFor(inRotation.length) }),
  };
}

/** The servers that take new connections: all of them where every one is drained, since an annotation must not take the API away. */
export function serversInRotation(servers: readonly ApiServer[]): readonly ApiServer[] {
  const inRotation = servers.filter(({ drained }) => drained !== true);
  return inRotation.length === 0 ? servers : inRotation;
}

/**
 * Holding a server back protects clients from a server that is not quite ready while others serve. A single server has no substitute: every
 * second that it is held back is a second without an API.
 */
function riseFor(servers: number): number {
  return servers > 1 ? 6 : 1;
}

function healthCheck(timing: {
  readonly interSeconds: number;
  readonly fastinterSeconds: number;
  readonly fall: number;
  readonly rise: number;
}): HealthCheck {
  return {
    path: '/readyz',
    expectStatus: 200,
    weight: 256,
    inter: `${timing.interSeconds}s`,
    fastinter: `${timing.fastinterSeconds}s`,
    fall: timing.fall,
    rise: timing.rise,
    slowstart: '60s',
    holdDown: `${(timing.rise - 1) * timing.fastinterSeconds}s`,
  };
}

function withEndpoint(server: ApiServer, inRotation: readonly ApiServer[]): LoadBalancerServer {
  const { name, address, port } = server;
  return { name, address, port, endpoint: endpointOf(server), isDrained: !inRotation.includes(server) };
}
