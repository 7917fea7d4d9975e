/** Where each program listens unless the settings say otherwise; docs/ports.md is held to this table by a test. */
export const defaultPorts = {
  /** Of the API servers, and of the VIP. */
  api: 6443,
  /** HAProxy, for clients: the VIP's port leads to it. */
  loadBalancer: 9445,
  /** HAProxy answers /haproxy_ready and /haproxy_monitor there. */
  health: 50_936,
  /** HAProxy's statistics, on loopback. */
  statistics: 29_445,
  /** The pages of the four programs, on loopback. */
  haproxyMonitor: 50_937,
  keepalivedMonitor: 50_938,
  keepalivedSupervisor: 50_939,
  haproxySupervisor: 50_940,
  /** What the nodes show each other, over TLS. */
  peers: 50_941,
} as const;
