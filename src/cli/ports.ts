/** Default ports; a test compares docs/install.md with this table. */
export const defaultPorts = {
  /** Of the API servers, and of the VIP. */
  api: 6443,
  /** HAProxy, for clients: the VIP's port is redirected to it. */
  loadBalancer: 9445,
  /** HAProxy answers /haproxy_ready and /haproxy_monitor there, as OpenShift's does. */
  health: 9444,
  /** HAProxy's statistics, on loopback. */
  statistics: 29_445,
  /** The pages of the four programs, on loopback. */
  haproxyMonitor: 29_446,
  keepalivedMonitor: 29_447,
  keepalivedSupervisor: 29_448,
  haproxySupervisor: 29_449,
  /** The page of the pod proxy, in its pod's own network. */
  podProxy: 29_452,
  /** The router's page, on all addresses, like openshift-router's. */
  router: 1_936,
} as const;

/** The page on the health port that says whether HAProxy itself works. */
export const READY_PATH = '/haproxy_ready';
