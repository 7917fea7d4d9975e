import { WORKER_ADDRESS } from '../cli/shared-flags.ts';
import { type ApiServer, endpointOf, sortServers } from '../engine/kube/api-server.ts';
import type { CheckedModel } from '../engine/render/checked-model.ts';
import { expectedText, isSafeText } from '../engine/render/safe-text.ts';
import { LEAVING_VARIABLE } from '../haproxy/leaving-variable.ts';
import { type ExtraPort, extraBackend } from './extra-ports/extra-ports.ts';
import type { HaproxyMonitorSettings } from './haproxy-monitor-settings.ts';

/** An operator's choices for the load balancer; everything else in the model is decided by `loadBalancerModel`. */
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
 * Everything that `templates/haproxy.cfg.ejs` can print, ready to be printed: durations carry their units and every
 * string is free of blanks, quotes and control characters. A template that uses any other field fails.
 */
interface LoadBalancerModel {
  /**
   * The bind address for clients and probes. Every address of the node: `::`, which with `v4v6` includes both families, or `0.0.0.0` without IPv6.
   * On a worker `127.0.0.1`.
   */
  readonly anyAddress: string;
  readonly ports: {
    readonly lbPort: number;
    readonly statPort: number;
    readonly healthPort: number;
    readonly apiPort: number;
  };
  /** Null if every node derives it from its kubeconfig. */
  readonly clusterName: string | null;
  /** Sorted by name; may be empty. */
  readonly servers: readonly LoadBalancerServer[];
  /** In the order of the settings. */
  readonly extraPorts: readonly LoadBalancerExtraPort[];
  readonly statsSocket: string;
  readonly stateFile: string;
  /** Set by the supervisor when it is asked to stop. */
  readonly leavingVariable: string;
  /** A target of HAProxy's `log` directive. */
  readonly logTarget: string;
  readonly logConnections: boolean;
  /** Connections that clients may hold, those of each extra port, and the total, which leaves some for probes and the statistics page. */
  readonly maxconn: { readonly clients: number; readonly extra: number; readonly total: number };
  /** HAProxy durations such as `3s`. */
  readonly timeouts: {
    /** Limits one attempt to connect a client; then another server is tried. */
    readonly attempt: string;
    /** Limits a check, with its TLS handshake. */
    readonly connect: string;
    readonly client: string;
    readonly server: string;
    readonly tunnel: string;
    readonly fin: string;
    readonly check: string;
    readonly probe: string;
    /** How long a draining process spreads the closing of its idle connections. */
    readonly closeSpread: string;
  };
  readonly redispatches: number;
  /** For a template in which `timeouts.connect` limits an attempt: the shipped template's is shorter, with `redispatches`. */
  readonly retries: number;
  /** TCP keepalive of clients: after `idle`, `count` probes `interval` apart; then the client is considered gone. */
  readonly keepalive: { readonly idle: string; readonly interval: string; readonly count: number };
  readonly check: HealthCheck;
}

interface LoadBalancerServer {
  readonly name: string;
  readonly address: string;
  readonly port: number;
  /** Address and port as HAProxy reads them: `10.0.0.1:6443`, `[fd00::1]:6443`. */
  readonly endpoint: string;
  /** Out of rotation: gets no new connections. Never true for every server. */
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
  /** `(rise - 1) * fastinter`: how long a server must pass its checks before it gets its first connection. */
  readonly holdDown: string;
}

/** Connections left for the kubelet's probe and the statistics page when clients have used up theirs. */
const PROBE_CONNECTIONS = 100;
const CLIENT_CONNECTIONS = 40_000;
/** A node needs one or two of each. */
const EXTRA_CONNECTIONS = 4_000;

/**
 * The HAProxy template's model. All decisions that are not an operator's are made here; the template explains each
 * value next to where it prints it. Servers are sorted by name, in whatever order they came.
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

/** The servers that get new connections: all of them if every one is drained, since an annotation must not take the API away. */
export function serversInRotation(servers: readonly ApiServer[]): readonly ApiServer[] {
  const inRotation = servers.filter(({ drained }) => drained !== true);
  return inRotation.length === 0 ? servers : inRotation;
}

const FASTINTER_SECONDS = 2;

/**
 * Holding a server back protects clients from a server that is not quite ready while others serve. A single server has no substitute: every
 * second that it is held back is a second without an API.
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
 * The model for these servers. Unprintable if a server is invalid: a forbidden character in its name or address,
 * no port, or a duplicate name. No source gives such a list; if one did, the node
 * would keep its configuration. A path that cannot be printed is a problem as well.
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
