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
};

/** One sentence for each that is set. */
export function withoutEffect(env: NodeJS.ProcessEnv): readonly string[] {
  return Object.entries(reasons)
    .filter(([name]) => env[name] !== undefined)
    .map(([name, reason]) => `${name} has no effect: ${reason}`);
}
