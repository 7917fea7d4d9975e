import type { MetricsRegistry } from '../engine/observe/metrics-registry.ts';

/** Counts repairs in the supervisor, and in the monitor, which removes the VIPs of a keepalived container that was killed. */
export function vipRepairCounter(
  { counter }: MetricsRegistry,
  kinds: readonly string[],
): (kind: string) => void {
  const count = counter(
    'hawser_vip_repairs_total',
    'VIPs restored, or removed from a node that should not hold them.',
    kinds.map((kind) => ({ kind })),
  );
  return (kind) => count({ kind });
}
