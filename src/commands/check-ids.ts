/** The ids of all checks of `hawser doctor`, in display order. Listed here so that the code of the checks need not be loaded. */
export const checkIds: readonly string[] = `
  arp vrrp-adverts other-vip-software networkd networkmanager foreign-router-id rp-filter settings-file
  haproxy-supervisor haproxy-config haproxy-program nft redirect peer-ports keepalived-supervisor
  keepalived-config keepalived-program keepalived-priority steering vip-interface vip-holder ipv6 router-ready
  router-haproxy router-rbac route-crd router-lease routes-left-out route-certificates default-certificate
  pod-proxy-template pod-proxy-downstreams pod-proxy-haproxy pod-proxy-dns pod-proxy-rbac ports
  client-certificate credentials api-certificate anonymous-readyz node-labels clock
`
  .trim()
  .split(/\s+/);
