/** An instance of a keepalived that is the router of another cluster. */
export interface ForeignInstance {
  readonly virtualRouterId: number;
  /** In the order of the advert. */
  readonly vips: readonly string[];
  /** Multicast if left out. */
  readonly peer?: string;
  /**
   * Needed for unicast IPv6: without it keepalived stays in FAULT if it starts before the interface has its link-local address, as
   * on a busy machine.
   */
  readonly source?: string;
}

/** Has a low priority, so that it takes no VIP from another router. One advert a second. */
export function foreignRouterText(version: 2 | 3, instances: readonly ForeignInstance[]): string {
  const blocks = instances.map(
    ({ virtualRouterId, vips, peer, source }, index) => `vrrp_instance FOREIGN${index} {
    state MASTER
    interface eth0
    virtual_router_id ${virtualRouterId}
    priority 5
    advert_int 1
    ${source === undefined ? '' : `unicast_src_ip ${source}`}
    ${peer === undefined ? '' : `unicast_peer {\n        ${peer}\n    }`}
    virtual_ipaddress {
${vips.map((vip) => `        ${vip}\n`).join('')}    }
}
`,
  );
  return `global_defs {\n    router_id foreign\n    vrrp_version ${version}\n}\n${blocks.join('')}`;
}
