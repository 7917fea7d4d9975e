import type { VrrpFacts, VrrpInstanceFacts } from '../../keepalived/vrrp-facts.ts';
import type { Difference, Effect, GroupSizes, ProposedChange } from './change-cost.ts';
import { isOfApi } from './load-balancer-cost.ts';

type Keepalived = NonNullable<ProposedChange['keepalived']>;

/** What a change does to the VIPs, as far as it is decided on this node. */
export function vrrpEffects(change: ProposedChange): readonly Effect[] {
  const { keepalived, restarts, now } = change;
  if (keepalived === undefined) return [];
  const monitor: Effect = { kind: 'health-untold', doubtfulAfterMs: now.monitorTimeoutMs };
  const isRestarted = restarts.has('keepalived');
  const reload: readonly Effect[] = keepalived.isReloaded ? [{ kind: 'keepalived-reload' }] : [];
  return [
    ...(isRestarted ? [{ kind: 'keepalived-away' } as const] : reload),
    ...(restarts.has('keepalived-monitor') ? [monitor] : []),
    ...departures(change, keepalived),
    ...differences(keepalived, now.held),
  ];
}

/** The VIPs that go because what serves them here goes, whatever the new configuration says. */
function departures(
  { restarts, healthPort, now }: ProposedChange,
  keepalived: Keepalived,
): readonly Effect[] {
  const held = (keepalived.before?.instances ?? []).filter(({ name }) => now.held.has(name));
  return held.flatMap(({ name, vips, takeOverMs }): readonly Effect[] => {
    if (restarts.has('keepalived'))
      return keepalived.wasAlone
        ? vips.map((vip) => ({ kind: 'vip-interrupted', vip, forMs: takeOverMs }))
        : vips.map((vip) => ({ kind: 'vip-moves', vip, because: 'keepalived' }));
    // Where no other node could serve, nothing moves.
    if (keepalived.wasAlone || !isOfApi(name)) return [];
    const isAsked = healthPort.before === healthPort.after;
    if (!restarts.has('haproxy') && isAsked) return [];
    const because = restarts.has('haproxy') ? 'load-balancer' : 'health-port';
    return vips.map((vip) => ({ kind: 'vip-moves', vip, because }));
  });
}

function differences({ before, after, ...group }: Keepalived, held: ReadonlySet<string>): readonly Effect[] {
  if (before === undefined) return [];
  const pairs = before.instances.map((old) => ({ old, next: successor(old, after) }));
  const gone = pairs.flatMap(({ old, next }) =>
    old.vips
      .filter((vip) => !next?.vips.includes(vip))
      .map((vip): Effect => ({ kind: 'vip-leaves', vip, isHeld: held.has(old.name) })),
  );
  const known = new Set(before.instances.flatMap(({ vips }) => vips));
  const appearing = after.instances
    .flatMap(({ vips }) => vips)
    .filter((vip) => !known.has(vip))
    .map((vip): Effect => ({ kind: 'vip-appears', vip }));
  const split = pairs.flatMap(({ old, next }) =>
    next === undefined ? [] : splitEffects(old, next, { before, after, ...group }, held.has(old.name)),
  );
  return [...gone, ...appearing, ...split];
}

/** Names differ between profiles: `API` is `NAME_API` in the other one. */
function successor(old: VrrpInstanceFacts, after: VrrpFacts): VrrpInstanceFacts | undefined {
  const key = (name: string): string => /(?:API|INGRESS)(?:_V6)?$/.exec(name)?.[0] ?? name;
  return after.instances.find(({ name }) => key(name) === key(old.name));
}

function splitEffects(
  old: VrrpInstanceFacts,
  next: VrrpInstanceFacts,
  {
    before,
    after,
    wasAlone,
    isAlone,
  }: GroupSizes & { readonly before: VrrpFacts; readonly after: VrrpFacts },
  isHeld: boolean,
): readonly Effect[] {
  const because: readonly Difference[] = [
    ...(before.version === after.version ? [] : (['version'] as const)),
    ...(old.virtualRouterId === next.virtualRouterId ? [] : (['virtual-router-id'] as const)),
    ...(old.mode === next.mode ? [] : (['mode'] as const)),
    ...(old.interface === next.interface ? [] : (['interface'] as const)),
  ];
  const vips = next.vips.filter((vip) => old.vips.includes(vip));
  if (because.length === 0)
    return [...leftOut(old, next, vips), ...(isHeld || wasAlone ? [] : contested(old, next, vips))];
  if (!wasAlone && !isAlone) return vips.map((vip) => ({ kind: 'two-holders', vip, because }));
  // keepalived takes an instance of another version for the same one, and keeps its VIP.
  const isOther = because.some((each) => each !== 'version');
  if (!isHeld || !isOther) return [];
  return vips.map((vip) => ({ kind: 'vip-interrupted', vip, forMs: next.takeOverMs }));
}

function leftOut(
  old: VrrpInstanceFacts,
  next: VrrpInstanceFacts,
  vips: readonly string[],
): readonly Effect[] {
  const gone = old.peers.filter((peer) => !next.peers.includes(peer));
  return gone.flatMap((peer) => vips.map((vip) => ({ kind: 'peer-left-out', peer, vip })));
}

/** A reloaded backup waits for its own interval, until the next advert contains the holder's. */
function contested(
  old: VrrpInstanceFacts,
  next: VrrpInstanceFacts,
  vips: readonly string[],
): readonly Effect[] {
  if (next.advertIntervalMs * 3 >= old.advertIntervalMs) return [];
  return vips.map((vip) => ({ kind: 'vip-contested', vip, forMs: old.advertIntervalMs }));
}
