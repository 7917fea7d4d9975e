import type { VipKind } from '../../keepalived/vip-kind.ts';
import type { KeepalivedMonitorStatus } from '../settings/keepalived-monitor-status.ts';
import { askMonitor, factsOf, findHolder, holderText } from './gather-facts.ts';
import { awaitPlace, giveOrder } from './give-order.ts';
import { type MovePlan, type MoveWish, type OrderFacts, planMove } from './move-plan.ts';
import { orderInTheWay } from './order-file.ts';
import type { OrderReport } from './order-report.ts';
import type { OrderEndpoints } from './order-settings.ts';
import type { VipOrder } from './vip-order.ts';

export type OrderOutcome = Pick<OrderReport, 'outcome' | 'notes' | 'tookMs'> &
  Partial<Pick<OrderReport, 'probe'>>;

/** What the monitor's answer means for an order, and the nodes that share the VIPs. */
export interface Situation {
  readonly facts: OrderFacts;
  readonly group: KeepalivedMonitorStatus['group'];
}

/** Resolves with a sentence if the monitor is silent. */
async function readSituation(places: OrderEndpoints): Promise<Situation | string> {
  const look = await askMonitor(places);
  if (look.kind === 'silent') return look.message;
  return { facts: await factsOf(look.status, places), group: look.status.group };
}

/**
 * The steps of every such command: asks the monitor, does the work for the wanted kinds of VIP (by default all that this
 * node has), and reports the VIPs' holders afterwards. Without a monitor the work is not done.
 */
export async function runOrderCommand(
  command: OrderReport['command'],
  places: OrderEndpoints,
  wanted: readonly VipKind[] | undefined,
  work: (situation: Situation, kinds: readonly VipKind[]) => Promise<OrderOutcome>,
): Promise<OrderReport> {
  const situation = await readSituation(places);
  if (typeof situation === 'string')
    return {
      ...{ v: 1, command, node: '', outcome: 'unknown', notes: [situation] },
      ...{ vips: [], tookMs: null, probe: null },
    };
  const { facts, group } = situation;
  const kinds = wanted ?? facts.vips.map(({ kind }) => kind);
  const outcome = await work(situation, kinds);
  return {
    v: 1,
    command,
    node: facts.self,
    probe: null,
    ...outcome,
    vips: await whereAre(kinds, facts, group),
  };
}

/** The holders of the VIPs of these kinds. */
async function whereAre(
  kinds: readonly VipKind[],
  { vips }: OrderFacts,
  group: Situation['group'],
): Promise<OrderReport['vips']> {
  const all = vips.flatMap(({ kind, vips: list }) =>
    kinds.includes(kind) ? list.map((vip) => ({ kind, vip })) : [],
  );
  return await Promise.all(
    all.map(async ({ kind, vip }) => {
      const found = await findHolder(vip, group);
      const holder = found.kind === 'free' ? null : holderText(found);
      return { kind, vip, holder, here: found.kind === 'here' };
    }),
  );
}

export function vipsOf({ vips }: OrderFacts, kinds: readonly VipKind[]): readonly string[] {
  return vips.filter(({ kind }) => kinds.includes(kind)).flatMap((each) => each.vips);
}

/** What a move would do now. An order that is in force is an objection too. */
export async function planNow(
  { facts, group }: Situation,
  wish: Omit<MoveWish, 'holder'>,
  orderPath: string,
): Promise<MovePlan> {
  const [vip] = vipsOf(facts, [wish.kind]);
  const found = vip === undefined ? undefined : await findHolder(vip, group);
  const plan = planMove(facts, { ...wish, holder: found?.kind === 'node' ? found.name : undefined });
  const inTheWay = plan.kind === 'move' ? await orderInTheWay(orderPath) : undefined;
  return inTheWay === undefined ? plan : { kind: 'refused', reasons: [inTheWay] };
}

/**
 * Gives the order. Once the monitor has taken it, `follow` tells what comes of it, from how long the VIPs took to get to
 * their place: undefined if they were not there in time.
 */
export async function giveAndFollow(
  { cannot, order, before, vips, place }: Errand,
  settings: OrderEndpoints & { readonly timeout: number },
  follow: (arrival: Promise<number | undefined>) => Promise<OrderOutcome>,
): Promise<OrderOutcome> {
  const watch = new AbortController();
  const arrival = awaitPlace(vips, place, settings.timeout, watch.signal);
  try {
    const given = await giveOrder(order, before, settings);
    if (given.kind === 'taken') return await follow(arrival);
    if (given.kind === 'refused') return refused(cannot, [given.message]);
    return { outcome: 'unknown', notes: [`${cannot}: ${given.message}`], tookMs: null };
  } finally {
    watch.abort();
  }
}

interface Errand {
  /** How a refusal begins: `Cannot drain cp-1`. */
  readonly cannot: string;
  readonly order: VipOrder;
  /** The order that it replaces. */
  readonly before?: VipOrder | undefined;
  readonly vips: readonly string[];
  readonly place: 'here' | 'elsewhere';
}

export function refused(cannot: string, reasons: readonly string[]): OrderOutcome {
  return { outcome: 'refused', notes: reasons.map((reason) => `${cannot}: ${reason}`), tookMs: null };
}
