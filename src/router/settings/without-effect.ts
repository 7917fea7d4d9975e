/** Variables of the OpenShift router that are accepted without any effect, and why. */
const reasons: Readonly<Record<string, string>> = {
  ROUTER_MAX_DYNAMIC_SERVERS: 'servers are added to a running HAProxy as needed',
  ROUTER_SERVICE_SNI_PORT: 'TLS connections use a UNIX socket',
  ROUTER_SERVICE_NO_SNI_PORT: 'TLS connections use a UNIX socket',
  ROUTER_BACKEND_PROCESS_ENDPOINTS:
    'endpoints are always sorted by name, so that equal objects produce equal files',
  UPGRADE_VALIDATION: 'no route is known to fail in a later version',
  ROUTER_BIND_PORTS_AFTER_SYNC: 'ports are never bound before every kind of object has been listed',
  EXTENDED_VALIDATION: "routes' certificates are always validated",
  ROUTER_HAPROXY_CONFIG_MANAGER: 'hawser already reloads as rarely as possible',
  COMMIT_INTERVAL: 'each change is written at once, also after a runtime update',
  ROUTER_BLUEPRINT_ROUTE_NAMESPACE: 'HAProxy needs no blueprint routes',
  ROUTER_BLUEPRINT_ROUTE_LABELS: 'HAProxy needs no blueprint routes',
  ROUTER_BLUEPRINT_ROUTE_POOL_SIZE: 'HAProxy needs no blueprint routes',
  ROUTER_HAPROXY_ADMIN_UNIX_SOCKET: 'the supervisor reloads HAProxy, on request through --socket',
  ROUTER_METRICS_TYPE: "the metrics are always HAProxy's",
  ROUTER_METRICS_HAPROXY_SCRAPE_URI: "HAProxy's statistics are read from its own sockets",
  MAX_RELOAD_WAIT_TIME: 'the supervisor limits a reload by its --start-timeout',
  ROUTER_MAX_SHUTDOWN_TIMEOUT: 'set it in the container of hawser haproxy supervise',
  HAPROXY_MAX_SHUTDOWN_TIMEOUT: 'set it in the container of hawser haproxy supervise',
  DROP_SYN_DURING_RESTART: 'set it in the container of hawser haproxy supervise',
};

/** One sentence for each of these variables that is set. */
export function withoutEffect(env: NodeJS.ProcessEnv): readonly string[] {
  return Object.entries(reasons)
    .filter(([name]) => env[name] !== undefined)
    .map(([name, reason]) => `${name} has no effect: ${reason}`);
}
