import { WORKER_ADDRESS } from '../cli/shared-flags.ts';
import { type ApiServer, endpointOf, sortServers } from '../engine/kube/api-server.ts';
import type { CheckedModel } from '../engine/render/checked-model.ts';
import { expectedText, isSafeText } from '../engine/render/safe-text.ts';
import { LEAVING_VARIABLE } from '../haproxy/leaving-variable.ts';
import { type ExtraPort, extraBackend } from './extra-ports/extra-ports.ts';
import type { HaproxyMonitorSettings } from './haproxy-monitor-settings.ts';

/** The settings that the model depends on; `loadBalancerModel` decides everything else. */
export type LoadBalancerSettings = Pick<
  HaproxyMonitorSettings,
  | 'lbPort'
  | 'statPort'
  | 'healthPort'
  | 'apiPort'
  | 'hasIpv6'
  | 'worker'
  | 'clusterName'
  | 'extraPorts'
  | 'logConnections'
  | 'statsSocket'
  | 'stateFile'
>;

/**
 * The values that `templates/haproxy.cfg.ejs` can print. Durations include their unit. No string contains blanks, quotes or control characters.
 * Rendering fails if the template uses any other field.
 */
interface LoadBalancerModel {
  /**
   * The bind address for clients and probes: all addresses of the node, which is `::` (with `v4v6` for both families) or `0.0.0.0` without IPv6.
   * On a worker it is `127.0.0.1`.
   */
  readonly anyAddress: string;
  readonly ports: {
    readonly lbPort: number;
    readonly statPort: number;
    readonly healthPort: number;
    readonly apiPort: number;
  };
  /** Null if not set: each node then derives the name from its kubeconfig. */
  readonly clusterName: string | null;
  /** Sorted by name; may be empty. */
  readonly servers: readonly LoadBalancerServer[];
  /** In the order of the settings. */
  readonly extraPorts: readonly LoadBalancerExtraPort[];
  readonly statsSocket: string;
  readonly stateFile: string;
  /** Name of the HAProxy variable that the supervisor sets when it is asked to stop. */
  readonly leavingVariable: string;
  /** A target of HAProxy's `log` directive. */
  readonly logTarget: string;
  readonly logConnections: boolean;
  /** Connection limits: clients of the API, clients of each extra port, and the total, which includes a reserve for probes and the statistics page. */
  readonly maxconn: { readonly clients: number; readonly extra: number; readonly total: number };
  /** HAProxy durations such as `3s`. */
  readonly timeouts: {
    /** Limits one connection attempt for a client, before another server is tried. */
    readonly attempt: string;
    /** Limits a health check's connection, including the TLS handshake. */
    readonly connect: string;
    readonly client: string;
    readonly server: string;
    readonly tunnel: string;
    readonly fin: string;
    readonly check: string;
    readonly probe: string;
    /** The period over which a draining process closes its idle connections. */
    readonly closeSpread: string;
  };
  readonly redispatches: number;
  /** For custom templates that limit an attempt by `timeouts.connect`. The shipped template uses `timeouts.attempt` and `redispatches`. */
  readonly retries: number;
  /** TCP keepalive for clients: after `idle`, `count` probes every `interval`; a client that answers none is disconnected. */
  readonly keepalive: { readonly idle: string; readonly interval: string; readonly count: number };
  readonly check: HealthCheck;
}

interface LoadBalancerServer {
  readonly name: string;
  readonly address: string;
  readonly port: number;
  /** Address and port as HAProxy reads them: `10.0.0.1:6443`, `[fd00::1]:6443`. */
  readonly endpoint: string;
  /** Out of rotation: receives no new connections. Never true for all servers. */
  readonly isDrained: boolean;
}

/** The same servers at another port. */
interface LoadBalancerExtraPort extends ExtraPort {
  readonly backend: string;
  readonly servers: readonly LoadBalancerServer[];
}

interface HealthCheck {
  readonly path: string;
  readonly expectStatus: number;
  readonly weight: number;
  readonly inter: string;
  readonly fastinter: string;
  readonly fall: number;
  readonly rise: number;
  readonly slowstart: string;
  /** `(rise - 1) * fastinter`: how long a server must pass its checks before it receives connections. */
  readonly holdDown: string;
}

/** Connections reserved for the kubelet's probe and the statistics page while clients are at their limit. */
const PROBE_CONNECTIONS = 100;
const CLIENT_CONNECTIONS = 40_000;
/** Per extra port. A node needs one or two connections to each. */
const EXTRA_CONNECTIONS = 4_000;

/**
 * Returns the model for the HAProxy template. All values that operators cannot set are chosen here; the template explains
 * each value where it prints it. Servers are sorted by name, so that their order in `servers` does not matter.
 */
export function loadBalancerModel(
  settings: LoadBalancerSettings,
  servers: readonly ApiServer[],
): LoadBalancerModel {
  const { lbPort, statPort, healthPort, apiPort, extraPorts, statsSocket, stateFile } = settings;
  const inRotation = serversInRotation(servers);
  const sorted = sortServers(servers);
  const extraTotal = extraPorts.length * EXTRA_CONNECTIONS;
  return {
    anyAddress: addressFor(settings),
    ports: { lbPort, statPort, healthPort, apiPort },
    clusterName: settings.clusterName ?? null,
    servers: sorted.map((server) => withEndpoint(server, inRotation)),
    extraPorts: extraPorts.map((extra) => ({
      ...extra,
      backend: extraBackend(extra.name),
      servers: sorted.map((server) => withEndpoint(server, inRotation, extra.serverPort)),
    })),
    statsSocket,
    stateFile,
    leavingVariable: LEAVING_VARIABLE,
    logTarget: 'stdout',
    logConnections: settings.logConnections,
    maxconn: {
      clients: CLIENT_CONNECTIONS,
      extra: EXTRA_CONNECTIONS,
      total: CLIENT_CONNECTIONS + extraTotal + PROBE_CONNECTIONS,
    },
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
    check: healthCheck(inRotation.length),
  };
}

function addressFor({ worker, hasIpv6 }: LoadBalancerSettings): string {
  if (worker) return WORKER_ADDRESS;
  return hasIpv6 ? '::' : '0.0.0.0';
}

/** Returns the servers that receive new connections: those not drained, or all servers if all are drained, since annotations must not take the API offline. */
export function serversInRotation(servers: readonly ApiServer[]): readonly ApiServer[] {
  const inRotation = servers.filter(({ drained }) => drained !== true);
  return inRotation.length === 0 ? servers : inRotation;
}

const FASTINTER_SECONDS = 2;

/**
 * Requires several good checks before a server that recovers receives connections, since it may not be fully ready and others can serve. A single
 * server must pass only one, because the API is down until then.
 */
function healthCheck(servers: number): HealthCheck {
  const rise = servers > 1 ? 6 : 1;
  return {
    path: '/readyz',
    expectStatus: 200,
    weight: 256,
    inter: '5s',
    fastinter: `${FASTINTER_SECONDS}s`,
    fall: 2,
    rise,
    slowstart: '60s',
    holdDown: `${(rise - 1) * FASTINTER_SECONDS}s`,
  };
}

function withEndpoint(
  server: ApiServer,
  inRotation: readonly ApiServer[],
  port = server.port,
): LoadBalancerServer {
  const { name, address } = server;
  const endpoint = endpointOf({ ...server, port });
  return { name, address, port, endpoint, isDrained: !inRotation.includes(server) };
}

/**
 * Returns the model for these servers, or `unprintable` if a server has an invalid name, address or port or a duplicate name, or if a
 * path of the settings contains unsafe characters. No source provides an invalid server; if one did, the node would keep its configuration.
 */
export function printableLoadBalancer(
  settings: LoadBalancerSettings,
  servers: readonly ApiServer[],
): CheckedModel<LoadBalancerModel> {
  const problem = [
    settingsProblem(settings),
    ...servers.map((server) => serverProblem(server, servers)),
  ].find((found) => found !== undefined);
  if (problem !== undefined) return { kind: 'unprintable', problem };
  return { kind: 'printable', model: loadBalancerModel(settings, servers) };
}

const nameForm = /^[A-Za-z0-9._:-]+$/;
const addressForm = /^(?:\d{1,3}(?:\.\d{1,3}){3}|[0-9A-Fa-f:.]*:[0-9A-Fa-f:.]*)$/;

function settingsProblem(settings: LoadBalancerSettings): string | undefined {
  const path = [settings.statsSocket, settings.stateFile].find((each) => !isSafeText(each));
  return path === undefined
    ? undefined
    : `the path ${JSON.stringify(path)} is not printable, ${expectedText}`;
}

function serverProblem(server: ApiServer, servers: readonly ApiServer[]): string | undefined {
  const { name, address, port } = server;
  if (!nameForm.test(name))
    return `the server name ${JSON.stringify(name)} is not printable, expected only A-Z a-z 0-9 . _ : -`;
  if (!addressForm.test(address))
    return `invalid address ${JSON.stringify(address)} of server "${name}", expected IPv4 or IPv6`;
  if (!Number.isInteger(port) || port < 1 || port > 65_535)
    return `invalid port "${port}" of server "${name}", expected 1 to 65535`;
  if (servers.some((other) => other !== server && other.name === name))
    return `the server name "${name}" is used twice, expected unique names`;
  return undefined;
}
