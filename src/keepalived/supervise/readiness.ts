import type { VrrpStatus } from './vrrp-status.ts';

/**
 * Why no VIP can be or come here, undefined where one can: keepalived runs, and takes part for one of them. One is enough,
 * since the ingress VIP takes no part on a node without a router, which is as it should be. A drained node takes part.
 */
export function unreadiness({
  phase,
  instances,
}: Pick<VrrpStatus, 'phase' | 'instances'>): string | undefined {
  if (phase !== 'running') return `keepalived does not run: ${phase}`;
  if (instances.some(({ state }) => state === 'MASTER' || state === 'BACKUP')) return undefined;
  const states = instances.map(({ name, state }) => `${name} is ${state}`);
  return `keepalived takes no part: ${states.join(', ') || 'no instance'}`;
}
