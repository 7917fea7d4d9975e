import { pointsOf, trackAddends } from '../../../src/keepalived/track-value.ts';
import { type Holding, initialHolding, nextHolding } from '../../../src/vip/group/local-vrrp-role.ts';
import { vrrpPriority } from '../../../src/vip/group/vrrp-priority.ts';
import {
  effectOf,
  nextProgress,
  notBegun,
  type OrderProgress,
  type VipOrder,
} from '../../../src/vip/orders/vip-order.ts';

export interface SimulatedNode {
  readonly service: 'ok' | 'doubtful' | 'failed';
  readonly order?: VipOrder | undefined;
  /** Advert intervals between two checks of its monitor. */
  readonly lookEvery?: number;
}

export interface SimulatedMoment {
  readonly atMs: number;
  readonly holder: number;
  readonly values: readonly number[];
}

const INTERVAL_MS = 100;
/** A backup takes over from a master after this many adverts that are missing or too low. */
const MASTER_DOWN = 3;

interface Member extends SimulatedNode {
  readonly holding: Holding;
  readonly steering: OrderProgress;
  readonly value: number;
  /** When it last became a backup, or the holder. */
  readonly sinceMs: number;
  /** Adverts in a row that were missing, or below its own priority. */
  readonly low: number;
}

/**
 * A group under VRRP and its nodes' monitors, one advert interval at a time, one holder at a time: FAULT hands over at
 * once, a lower priority only once a backup has waited for it. Node 0 holds the VIP at first.
 */
export function simulateGroup(
  nodes: readonly SimulatedNode[],
  durationMs: number,
): readonly SimulatedMoment[] {
  let holder = 0;
  let members: readonly Member[] = nodes.map((node) => ({
    ...node,
    holding: initialHolding,
    steering: notBegun,
    value: 0,
    sinceMs: 0,
    low: 0,
  }));
  const priority = (index: number) =>
    Math.min(254, Math.max(1, vrrpPriority(index, nodes.length) + (members[index]?.value ?? 0)));
  const moments: SimulatedMoment[] = [];
  for (let tick = 0; tick * INTERVAL_MS < durationMs; tick += 1) {
    const nowMs = tick * INTERVAL_MS;
    members = members.map((member, index) =>
      tick % (member.lookEvery ?? 2) === 0 ? looked(member, index, holder, nodes.length, nowMs) : member,
    );
    const isGone = (members[holder]?.value ?? -254) <= -254;
    const advert = isGone ? 0 : priority(holder);
    members = members.map((member, index) => {
      const outranks = index !== holder && member.value > -254 && priority(index) > advert;
      return { ...member, low: outranks ? member.low + (isGone ? MASTER_DOWN : 1) : 0 };
    });
    const next = members
      .map(({ low }, index) => ({ low, index }))
      .filter(({ low }) => low >= MASTER_DOWN)
      .sort((a, b) => priority(b.index) - priority(a.index))[0]?.index;
    if (next !== undefined) {
      const before = holder;
      holder = next;
      members = members.map((member, index) =>
        index === before || index === next ? { ...member, sinceMs: nowMs, low: 0 } : { ...member, low: 0 },
      );
    }
    moments.push({ atMs: nowMs, holder, values: members.map(({ value }) => value) });
  }
  return moments;
}

function looked(member: Member, index: number, holder: number, size: number, nowMs: number): Member {
  const ageMs = nowMs - member.sinceMs;
  const role = index === holder ? 'holder' : member.value <= -254 ? 'none' : 'backup';
  const holding = nextHolding(member.holding, { role, ageMs }, nowMs);
  const holds = holding.kind === 'held';
  const { order, service } = member;
  const steering =
    order === undefined || nowMs < Date.parse(order.at)
      ? notBegun
      : nextProgress(member.steering, order, { nowMs, holds });
  const addends = trackAddends({
    kind: 'api',
    service,
    failedForMs: 9_999,
    localApiServes: true,
    holder: holds,
    everyoneFailing: false,
    order: order === undefined ? 'none' : effectOf(steering, order, 'api'),
    priority: vrrpPriority(index, size),
  });
  return { ...member, holding, steering, value: pointsOf(addends) };
}
