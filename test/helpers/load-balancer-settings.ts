import type { LoadBalancerSettings } from '../../src/api-lb/load-balancer.ts';
import { defaultPorts } from '../../src/cli/shared-flags.ts';

/** The defaults of the monitor's flags. */
export const defaultLoadBalancerSettings: LoadBalancerSettings = {
  lbPort: defaultPorts.loadBalancer,
  statPort: defaultPorts.statistics,
  healthPort: defaultPorts.health,
  apiPort: defaultPorts.api,
  hasIpv6: true,
  worker: false,
  clusterName: undefined,
  extraPorts: [],
  logConnections: false,
  statsSocket: '/var/lib/haproxy/run/haproxy.sock',
  stateFile: '/var/lib/haproxy/run/server-state',
};
