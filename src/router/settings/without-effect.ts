/** Variables of the OpenShift router that are accepted and change nothing, and why. */
const reasons: Readonly<Record<string, string>> = {
  ROUTER_MAX_DYNAMIC_SERVERS: 'servers are added to a running HAProxy as they come',
  ROUTER_SERVICE_SNI_PORT: 'TLS goes over a UNIX socket',
  ROUTER_SERVICE_NO_SNI_PORT: 'TLS goes over a UNIX socket',
  ROUTER_BACKEND_PROCESS_ENDPOINTS:
    'the order of endpoints is always that of their names, so that equal objects give equal files',
  UPGRADE_VALIDATION: 'no route is known that a later version would not serve',
  ROUTER_BIND_PORTS_AFTER_SYNC: 'ports are never bound before everything was listed',
  EXTENDED_VALIDATION: "routes' certificates are always looked into",
  ROUTER_HAPROXY_CONFIG_MANAGER: 'there is no other way than the least reload',
  COMMIT_INTERVAL: 'each change is written at once, also after a runtime update',
  ROUTER_BLUEPRINT_ROUTE_NAMESPACE: 'HAProxy needs no routes that are kept ready',
  ROUTER_BLUEPRINT_ROUTE_LABELS: 'HAProxy needs no routes that are kept ready',
  ROUTER_BLUEPRINT_ROUTE_POOL_SIZE: 'HAProxy needs no routes that are kept ready',
  ROUTER_HAPROXY_ADMIN_UNIX_SOCKET: 'the supervisor is asked for reloads, on --socket',
  ROUTER_METRICS_TYPE: "the metrics are always HAProxy's",
  ROUTER_METRICS_HAPROXY_SCRAPE_URI: 'HAProxy is asked for its statistics on its own sockets',
  MAX_RELOAD_WAIT_TIME: 'a reload is proven by the supervisor, within its --start-timeout',
  ROUTER_MAX_SHUTDOWN_TIMEOUT: 'it is a variable of the container of hawser haproxy supervise',
  HAPROXY_MAX_SHUTDOWN_TIMEOUT: 'it is a variable of the container of hawser haproxy supervise',
  DROP_SYN_DURING_RESTART: 'it is a variable of the container of hawser haproxy supervise',
};

/** One sentence for each that is set. */
export function withoutEffect(env: NodeJS.ProcessEnv): readonly string[] {
  return Object.entries(reasons)
    .filter(([name]) => env[name] !== undefined)
    .map(([name, reason]) => `${name} has no effect: ${reason}`);
}
