import type { Effect } from '../engine/reconcile/effect.ts';
import { durationText } from '../engine/system/text/readable-text.ts';
import type { VrrpFacts, VrrpInstanceFacts } from '../keepalived/vrrp-facts.ts';
import { PATIENCE_MS } from './group/keepalived-model.ts';

/** What can happen to the VIPs of a node, as `hawser plan` labels it. */
export const vrrpEffectLabels = {
  'keepalived-reload': 'reload',
  'keepalived-away': 'keepalived',
  'health-untold': 'health',
  'vip-moves': 'VIP MOVES',
  'vip-interrupted': 'VIP AWAY',
  'vip-leaves': 'VIP LEAVES',
  'vip-appears': 'VIP',
  'peer-left-out': 'PEER LEFT OUT',
  'vip-contested': 'VIP TWICE',
  'interval-mixed': 'ADVERTS',
  'two-holders': 'TWO HOLDERS',
} as const;

type VrrpEffect = Effect<keyof typeof vrrpEffectLabels>;

/** What is about to happen to one node. */
export interface VrrpChange {
  /** What keepalived runs on; undefined if there is nothing yet. */
  readonly before: VrrpFacts | undefined;
  readonly after: VrrpFacts;
  /** keepalived is to read another text than the one that it runs on. */
  readonly isReloaded: boolean;
  /** No other node shares the VIPs. */
  readonly wasAlone: boolean;
  readonly isAlone: boolean;
  /** Containers, of every pod. */
  readonly restarts: ReadonlySet<string>;
  /** Where HAProxy says that it is there, and where the monitors ask. */
  readonly healthPort: { readonly before: number; readonly after: number };
  /** How long the last reported health counts. */
  readonly monitorTimeoutMs: number;
  /** The VRRP instances of which this node is the holder. */
  readonly held: ReadonlySet<string>;
}

/** What a change does to the VIPs, as far as it is decided on this node. */
export function vrrpEffects(change: VrrpChange): readonly VrrpEffect[] {
  const { restarts, monitorTimeoutMs } = change;
  const reload = change.isReloaded ? [keepalivedReload] : [];
  return [
    ...(restarts.has('keepalived') ? [keepalivedAway] : reload),
    ...(restarts.has('keepalived-monitor') ? [healthUntold(monitorTimeoutMs)] : []),
    ...departures(change),
    ...differences(change),
  ];
}

const keepalivedReload: VrrpEffect = {
  ...{ kind: 'keepalived-reload', level: 'reload' },
  says: 'keepalived reloads its configuration, which by itself moves nothing',
};

const keepalivedAway: VrrpEffect = {
  ...{ kind: 'keepalived-away', level: 'restart' },
  says: 'keepalived of this node is out of the group until its container is back',
};

/** After that time the node is demoted. */
function healthUntold(doubtfulAfterMs: number): VrrpEffect {
  return {
    ...{ kind: 'health-untold', level: 'restart' },
    says: `the health of this node is not measured until the monitor is back; after ${durationText(doubtfulAfterMs)} the supervisor asks HAProxy itself, and the VIP stays while it answers`,
  };
}

/** The VIPs that go because what serves them here goes, whatever the new configuration says. */
function departures({ before, wasAlone, restarts, healthPort, held }: VrrpChange): readonly VrrpEffect[] {
  const holding = (before?.instances ?? []).filter(({ name }) => held.has(name));
  return holding.flatMap(({ name, vips, takeOverMs }): readonly VrrpEffect[] => {
    if (restarts.has('keepalived'))
      return vips.map((vip) =>
        wasAlone ? interrupted(vip, takeOverMs) : moving(vip, 'keepalived of this one resigns'),
      );
    // Where no other node could serve, nothing moves.
    if (wasAlone || !isOfApi(name)) return [];
    if (restarts.has('haproxy'))
      return vips.map((vip) => moving(vip, 'HAProxy of this one ends', ', if one of them can serve'));
    if (healthPort.before === healthPort.after) return [];
    const why = 'for a moment HAProxy is not where this one asks for it';
    return vips.map((vip) => moving(vip, why, ', if one of them can serve'));
  });
}

/** By its name, as a custom template may have it. */
function isOfApi(instance: string): boolean {
  return !/ingress/i.test(instance);
}

function moving(subject: string, because: string, condition = ''): VrrpEffect {
  const says = `${subject} moves to another node at once${condition}: ${because}`;
  return { kind: 'vip-moves', subject, level: 'vip-move', says, connections: 'cut' };
}

function interrupted(subject: string, forMs: number): VrrpEffect {
  const says = `${subject} is on no node for up to ${durationText(forMs)}: keepalived gives it up and joins again`;
  return { kind: 'vip-interrupted', subject, level: 'interruption', says, connections: 'cut' };
}

function differences(change: VrrpChange): readonly VrrpEffect[] {
  const { before, after, held } = change;
  if (before === undefined) return [];
  const pairs = before.instances.map((old) => ({ old, next: successor(old, after) }));
  const known = new Set(before.instances.flatMap(({ vips }) => vips));
  return [
    ...pairs.flatMap(({ old, next }) =>
      old.vips.filter((vip) => !next?.vips.includes(vip)).map((vip) => leaving(vip, held.has(old.name))),
    ),
    ...after.instances.flatMap(({ vips }) => vips.filter((vip) => !known.has(vip)).map(appearing)),
    ...pairs.flatMap(({ old, next }) =>
      next === undefined ? [] : splitEffects(old, next, before.version !== after.version, change),
    ),
  ];
}

/** Names differ between profiles: `API` is `NAME_API` in the other one. */
function successor(old: VrrpInstanceFacts, after: VrrpFacts): VrrpInstanceFacts | undefined {
  const key = (name: string): string => /(?:API|INGRESS)(?:_V6)?$/.exec(name)?.[0] ?? name;
  return after.instances.find(({ name }) => key(name) === key(old.name));
}

/** It is no VIP of this node any more. */
function leaving(subject: string, isHeld: boolean): VrrpEffect {
  if (!isHeld) {
    const says = `${subject} leaves this node; nodes with the old settings still share it`;
    return { kind: 'vip-leaves', subject, level: 'reload', says };
  }
  const says = `${subject} leaves this node, and its clients lose their connections; the other nodes still hear this node and may not take it: change the holder last`;
  return { kind: 'vip-leaves', subject, level: 'interruption', says, connections: 'cut' };
}

function appearing(subject: string): VrrpEffect {
  const says = `${subject} comes up, on this node if it is the first that has it`;
  return { kind: 'vip-appears', subject, level: 'reload', says };
}

function splitEffects(
  old: VrrpInstanceFacts,
  next: VrrpInstanceFacts,
  isOtherVersion: boolean,
  { wasAlone, isAlone, held }: VrrpChange,
): readonly VrrpEffect[] {
  const others = [
    ...(old.virtualRouterId === next.virtualRouterId ? [] : ['virtual router id']),
    ...(old.mode === next.mode ? [] : ['mode']),
    ...(old.interface === next.interface ? [] : ['interface']),
  ];
  const different = [...(isOtherVersion ? ['VRRP version'] : []), ...others];
  const vips = next.vips.filter((vip) => old.vips.includes(vip));
  const isHeld = held.has(old.name);
  if (different.length === 0)
    return [...leftOut(old, next, vips), ...(wasAlone ? [] : contested(old, next, vips, isHeld))];
  if (!wasAlone && !isAlone) return vips.map((vip) => twoHolders(vip, different));
  // keepalived takes an instance of another version for the same one, and keeps its VIP.
  return isHeld && others.length > 0 ? vips.map((vip) => interrupted(vip, next.takeOverMs)) : [];
}

/** The peer and this node do not hear each other any more. If both live on and one is the holder, both become one. */
function leftOut(
  old: VrrpInstanceFacts,
  next: VrrpInstanceFacts,
  vips: readonly string[],
): readonly VrrpEffect[] {
  const gone = old.peers.filter((peer) => !next.peers.includes(peer));
  return gone.flatMap((peer) =>
    vips.map((subject) => ({
      ...{ kind: 'peer-left-out', subject, level: 'interruption' },
      says: `${peer} is no longer a peer of this node: unless it is gone, or drops this node as well, both may hold ${subject}`,
    })),
  );
}

/**
 * The others still have the old interval. A reloaded backup waits for its own intervals, until the next advert contains the
 * holder's. From then on backups wait for their own number of those.
 */
function contested(
  old: VrrpInstanceFacts,
  next: VrrpInstanceFacts,
  vips: readonly string[],
  isHeld: boolean,
): readonly VrrpEffect[] {
  if (old.advertIntervalMs === next.advertIntervalMs) return [];
  const [sends, waits] = isHeld ? [next, old] : [old, next];
  const startMs = isHeld ? Number.POSITIVE_INFINITY : next.advertIntervalMs * next.downTimerAdverts;
  const waitsMs = Math.min(startMs, sends.advertIntervalMs * waits.downTimerAdverts);
  const isHasty = waitsMs < Math.max(PATIENCE_MS, sends.advertIntervalMs);
  const advice = 'schedule the change on all nodes instead (docs/upgrade.md)';
  const other = `adverts every ${durationText(next.advertIntervalMs)} here and every ${durationText(old.advertIntervalMs)} on the other nodes`;
  return vips.map((subject): VrrpEffect => {
    if (!isHasty)
      return {
        ...{ kind: 'interval-mixed', subject, level: 'reload' },
        says: `with ${other}, another node may take ${subject} late from a dead holder; ${advice}`,
      };
    return {
      ...{ kind: 'vip-contested', subject, level: 'vip-move', connections: 'cut' },
      says: `with ${other}, a backup may take ${subject} beside the holder: it waits for ${durationText(waitsMs)}; ${advice}`,
    };
  });
}

/** This node and one that has not been changed hold the VIP, until all of them are. */
function twoHolders(subject: string, different: readonly string[]): VrrpEffect {
  // Profile and mode have a way of their own to be changed.
  const isAgreed = different.includes('VRRP version') || different.includes('mode');
  const advice = isAgreed ? '; schedule the change on all nodes instead (docs/migration.md)' : '';
  return {
    ...{ kind: 'two-holders', subject, level: 'interruption', connections: 'cut' },
    says: `two nodes hold ${subject} until every node has these settings: with a different ${different.join(' and ')} this node and the others do not hear each other${advice}`,
  };
}
