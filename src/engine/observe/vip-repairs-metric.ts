/** The supervisor has it, and the monitor, which removes the VIP of a keepalived container that was killed as a whole. */
export const vipRepairsMetric = {
  name: 'hawser_vip_repairs_total',
  help: 'VIPs put back, or removed because no instance on this node held them.',
} as const;
