import type { Listener, LoadBalancerFacts } from '../../haproxy/load-balancer-facts.ts';
import type { Effect, ProposedChange } from './change-cost.ts';

/** What a change does to HAProxy of this node, and to the redirect that leads the VIP there. */
export function loadBalancerEffects(change: ProposedChange): readonly Effect[] {
  const { haproxy, restarts, now } = change;
  const isRestarted = restarts.has('haproxy');
  const reload: Effect = { kind: 'haproxy-reload', endedWithinMs: now.forceDeleteTimeoutMs };
  const away: Effect = { kind: 'load-balancer-away', endedWithinMs: now.drainTimeoutMs };
  return [
    ...(isRestarted ? [away] : haproxy?.isReloaded ? [reload] : []),
    ...(haproxy === undefined ? [] : differences(haproxy.before, haproxy.after)),
    ...redirectEffects(change),
  ];
}

function differences(before: LoadBalancerFacts | undefined, after: LoadBalancerFacts): readonly Effect[] {
  if (before === undefined) return [];
  const added = after.servers.filter((each) => !before.servers.includes(each));
  const removed = before.servers.filter((each) => !after.servers.includes(each));
  const stays = new Set(after.listeners.map(({ address }) => address));
  const closed = before.listeners.filter(({ address }) => !stays.has(address));
  return [
    ...(added.length + removed.length === 0 ? [] : [{ kind: 'servers', added, removed } as const]),
    ...closed.map(closing),
  ];
}

function closing({ proxy, address }: Listener): Effect {
  const isLocal = /^(?:127\.|\[?::1\]?:\d|\/|unix@)/.test(address);
  return { kind: 'port-closed', where: `${address} (${proxy})`, isLocal };
}

/** A monitor that ends takes its redirect with it, and its successor looks twice before it puts one back. */
function redirectEffects({ keepalived, restarts, vipPort, now }: ProposedChange): readonly Effect[] {
  const vips = (keepalived?.before?.instances ?? [])
    .filter(({ name }) => now.held.has(name) && isOfApi(name))
    .flatMap((instance) => instance.vips);
  if (vips.length === 0) return [];
  return [
    ...(restarts.has('haproxy-monitor') ? [{ kind: 'redirect-away', vips } as const] : []),
    ...(vipPort.before === vipPort.after
      ? []
      : vips.map((vip) => closing({ proxy: 'the VIP', address: `${vip}:${vipPort.before}` }))),
  ];
}

/** By its name, as a custom template may have it. */
export function isOfApi(instance: string): boolean {
  return !/ingress/i.test(instance);
}
