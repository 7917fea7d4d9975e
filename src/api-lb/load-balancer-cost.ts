import type { Effect } from '../engine/reconcile/effect.ts';
import { durationText } from '../engine/system/text/readable-text.ts';
import type { LoadBalancerFacts } from '../haproxy/load-balancer-facts.ts';

/** What can happen to HAProxy of a node, as `hawser plan` labels it. */
export const loadBalancerEffectLabels = {
  'haproxy-reload': 'reload',
  'haproxy-change': 'no reload',
  servers: 'servers',
  'port-closed': 'PORT CLOSED',
  'load-balancer-away': 'HAPROXY AWAY',
  'redirect-away': 'redirect',
} as const;

type LoadBalancerEffect = Effect<keyof typeof loadBalancerEffectLabels>;

/** Of the connections with a server that is removed while HAProxy runs. */
const REMOVED_WITHIN_MS = 500;

/** What is about to happen to one node. */
export interface LoadBalancerChange {
  /** Undefined if haproxy.cfg stays as it is, or that is unknown. */
  readonly configuration:
    | {
        /** Undefined if there is none yet. */
        readonly before: LoadBalancerFacts | undefined;
        readonly after: LoadBalancerFacts;
        /** How HAProxy comes to another text than the one that it runs on; undefined where it need not. */
        readonly takes: 'reload' | 'change' | undefined;
      }
    | undefined;
  /** Containers. */
  readonly restarts: ReadonlySet<string>;
  /** The port that clients of a VIP use: the API servers' own. */
  readonly vipPort: { readonly before: number; readonly after: number };
  /** The VIPs of the API that this node holds. */
  readonly heldVips: readonly string[];
  /** Connections of the generation that serves; undefined where HAProxy does not say. */
  readonly sessions: number | undefined;
  /** How long connections may last after a reload, and after their container was asked to stop. */
  readonly forceDeleteTimeoutMs: number;
  readonly drainTimeoutMs: number;
}

/** What a change does to HAProxy of this node, and to the redirect that leads the VIPs there. */
export function loadBalancerEffects(change: LoadBalancerChange): readonly LoadBalancerEffect[] {
  const { configuration, restarts, vipPort, heldVips } = change;
  const taken = takingOver(configuration, change.forceDeleteTimeoutMs);
  return [
    ...(restarts.has('haproxy') ? [away(change)] : taken),
    ...(configuration?.before
      ? differences(configuration.before, configuration.after, configuration.takes)
      : []),
    ...(restarts.has('haproxy-monitor') && heldVips.length > 0 ? [withoutRedirect(heldVips)] : []),
    ...(vipPort.before === vipPort.after ? [] : heldVips).map((vip) =>
      closing('the VIP', `${vip}:${vipPort.before}`),
    ),
  ];
}

function takingOver(
  configuration: LoadBalancerChange['configuration'],
  forceDeleteTimeoutMs: number,
): readonly LoadBalancerEffect[] {
  if (configuration?.takes === undefined) return [];
  if (configuration.takes === 'reload') return [reloading(forceDeleteTimeoutMs)];
  const { before, after } = configuration;
  const removes = before?.servers.some((each) => !after.servers.includes(each)) === true;
  const says = 'HAProxy is told while it runs: no connection is refused';
  if (!removes) return [{ kind: 'haproxy-change', level: 'nothing', says: `${says}, and none ends` }];
  const ends = `${says}, and those with a removed server end`;
  return [
    {
      kind: 'haproxy-change',
      level: 'reload',
      says: ends,
      connections: { endedWithinMs: REMOVED_WITHIN_MS },
    },
  ];
}

/** A new generation serves; connections of the one before have a while to end by themselves. */
function reloading(endedWithinMs: number): LoadBalancerEffect {
  const says = `HAProxy reloads: no connection is refused, and open ones may last for ${durationText(endedWithinMs)}`;
  return { kind: 'haproxy-reload', level: 'reload', says, connections: { endedWithinMs } };
}

function away({ sessions, drainTimeoutMs: endedWithinMs }: LoadBalancerChange): LoadBalancerEffect {
  return {
    kind: 'load-balancer-away',
    level: sessions === 0 ? 'restart' : 'interruption',
    says: `HAProxy of this node accepts no connections until its container is back; open ones may last for ${durationText(endedWithinMs)}`,
    connections: { endedWithinMs },
  };
}

function differences(
  before: LoadBalancerFacts,
  after: LoadBalancerFacts,
  takes: 'reload' | 'change' | undefined,
): readonly LoadBalancerEffect[] {
  const level = takes === 'change' ? 'nothing' : 'reload';
  const added = after.servers.filter((each) => !before.servers.includes(each));
  const removed = before.servers.filter((each) => !after.servers.includes(each));
  const parts = [
    ...(added.length === 0 ? [] : [`servers added: ${added.join(', ')}`]),
    ...(removed.length === 0 ? [] : [`servers removed: ${removed.join(', ')}`]),
  ];
  const stays = new Set(after.listeners.map(({ address }) => address));
  const closed = before.listeners.filter(({ address }) => !stays.has(address));
  return [
    ...(parts.length === 0 ? [] : [{ kind: 'servers', level, says: parts.join('; ') } as const]),
    ...closed.map(({ proxy, address }) => closing(proxy, address)),
  ];
}

function closing(proxy: string, address: string): LoadBalancerEffect {
  const isLocal = /^(?:127\.|\[?::1\]?:\d|\/|unix@)/.test(address);
  const subject = `${address} (${proxy})`;
  const says = `${subject} serves no new clients; open connections drain`;
  return { kind: 'port-closed', subject, level: isLocal ? 'reload' : 'interruption', says };
}

/** A monitor that ends takes its redirect with it, and its successor looks twice before it puts one back. */
function withoutRedirect(vips: readonly string[]): LoadBalancerEffect {
  return {
    kind: 'redirect-away',
    subject: vips.join(', '),
    level: 'restart',
    says: `until the monitor is back, for some seconds, new connections to ${vips.join(' and ')} reach this node's own API server alone`,
  };
}
