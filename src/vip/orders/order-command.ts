import { hostname, userInfo } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import { messageOf } from '../../engine/system/errors.ts';
import { presentAddresses } from '../../engine/system/network/interface-addresses.ts';
import { isoTime } from '../../engine/system/time/iso-time.ts';
import { monotonicMs } from '../../engine/system/time/monotonic-clock.ts';
import type { VipKind } from '../../keepalived/vip-kind.ts';
import type { KeepalivedMonitorStatus } from '../settings/keepalived-monitor-status.ts';
import { askMonitor, factsOf, findHolder } from './gather-facts.ts';
import type { OrderFacts } from './move-plan.ts';
import { isInEffect, newOrderId, placeOrder, removeOrder, replaceOrder } from './order-file.ts';
import type { OrderReport } from './order-report.ts';
import type { OrderEndpoints } from './order-settings.ts';
import { notBegun, orderText, type VipOrder } from './vip-order.ts';

export type OrderOutcome = Pick<OrderReport, 'outcome' | 'notes'> & {
  readonly tookMs?: number;
  readonly probe?: OrderReport['probe'];
};

/**
 * The common steps of the order commands: reads the monitor's status, calls `work` for the requested kinds of VIP (by default all
 * that this node has), and reports the VIPs' holders afterwards. Without a monitor, `work` is not called.
 */
export async function runOrderCommand(
  command: OrderReport['command'],
  endpoints: OrderEndpoints,
  requested: readonly VipKind[] | undefined,
  work: (facts: OrderFacts, kinds: readonly VipKind[]) => Promise<OrderOutcome>,
): Promise<OrderReport> {
  const status = await askMonitor(endpoints);
  const common = { v: 1, command, tookMs: null, probe: null } as const;
  if (typeof status === 'string')
    return { ...common, node: '', outcome: 'unknown', notes: [status], vips: [] };
  const facts = await factsOf(status, endpoints);
  const kinds = requested ?? facts.vips.map(({ kind }) => kind);
  const outcome = await work(facts, kinds);
  return { ...common, node: facts.self, ...outcome, vips: await holdersOf(kinds, facts) };
}

/** The holders of the VIPs of these kinds. */
async function holdersOf(
  kinds: readonly VipKind[],
  { vips, group }: OrderFacts,
): Promise<OrderReport['vips']> {
  const all = vips.flatMap(({ kind, vips: list }) =>
    kinds.includes(kind) ? list.map((vip) => ({ kind, vip })) : [],
  );
  return await Promise.all(
    all.map(async ({ kind, vip }) => {
      const { here, text: holder } = await findHolder(vip, group);
      return { kind, vip, holder, here };
    }),
  );
}

export function vipsOf({ vips }: OrderFacts, kinds: readonly VipKind[]): readonly string[] {
  return vips.filter(({ kind }) => kinds.includes(kind)).flatMap((each) => each.vips);
}

/** The fields common to all orders: a new id, who gave the order, why, and when. */
export function newOrder(why: string, env: NodeJS.ProcessEnv): Omit<VipOrder, 'order'> {
  const by = `${env['SUDO_USER'] ?? userName()}@${hostname()}`.slice(0, 200);
  return { v: 1, id: newOrderId(), by, why, at: isoTime(Date.now()) };
}

function userName(): string {
  try {
    return userInfo().username;
  } catch {
    // In a container the user may have no name.
    return 'unknown';
  }
}

interface OrderTask {
  /** The beginning of an error message: `Cannot drain cp-1`. */
  readonly cannot: string;
  readonly order: VipOrder;
  /** The order that `order` replaces. */
  readonly before?: VipOrder | undefined;
  readonly vips: readonly string[];
  readonly place: Place;
}

type Place = 'here' | 'elsewhere';
type Waiting = OrderEndpoints & { readonly timeout: number };

/**
 * Writes the order and waits until the monitor has picked it up, or until the order is gone, as after a completed move. Then `outcome`
 * is called with the result of `awaitPlace`. An order that is not picked up is removed.
 */
export async function placeAndAwait(
  { cannot, order, before, vips, place }: OrderTask,
  settings: Waiting,
  outcome: (tookMs: number | undefined) => Promise<OrderOutcome>,
): Promise<OrderOutcome> {
  const path = settings.steering;
  const fromMs = monotonicMs();
  try {
    const isPlaced =
      before === undefined ? await placeOrder(path, order) : await replaceOrder(path, before.id, order);
    if (!isPlaced)
      return refused(cannot, [`another order was written to "${path}" meanwhile, expected none`]);
  } catch (error) {
    return refused(cannot, [notWritable(path, error)]);
  }
  const arrival = awaitPlace(vips, place, order.id, settings, fromMs);
  const isPickedUp = await within(PICKED_UP_WITHIN_MS, async () => {
    if (!(await isInEffect(path, order.id))) return true;
    const status = await askMonitor(settings);
    return typeof status !== 'string' && hasPickedUp(status.priorities, order);
  });
  if (isPickedUp) return await outcome(await arrival);
  await removeOrder(path, order.id).catch(() => undefined);
  return { outcome: 'unknown', notes: [`${cannot}: ${notPickedUp('order', path)}`] };
}

/** The monitor reads the file every few seconds even if a file notification is lost. */
export const PICKED_UP_WITHIN_MS = 20_000;

export function notPickedUp(what: 'order' | 'change', path: string): string {
  return `the monitor did not pick up the ${what} within ${PICKED_UP_WITHIN_MS / 1_000} s; check that its --steering is "${path}"`;
}

export function notWritable(path: string, error: unknown): string {
  return `${messageOf(error)}, expected to be able to write "${path}"`;
}

function hasPickedUp(priorities: KeepalivedMonitorStatus['priorities'], order: VipOrder): boolean {
  const kinds = order.order === 'drain' ? order.vips : [order.vip];
  // A drain may also name a VIP that this node no longer has.
  const here = priorities.filter(({ kind }) => kinds.includes(kind));
  return here.length > 0 && here.every(({ kind, order: text }) => text === orderText(notBegun, order, kind));
}

const POLL_INTERVAL_MS = 50;
const PLACE_INTERVAL_MS = 10;

/**
 * Waits until all of these VIPs are on this node (`here`), or none of them is (`elsewhere`). Resolves with the milliseconds since
 * `fromMs` then, and with undefined at the deadline or if the order is gone first.
 */
export async function awaitPlace(
  vips: readonly string[],
  place: Place,
  id: string,
  { steering, timeout }: Waiting,
  fromMs = monotonicMs(),
): Promise<number | undefined> {
  let tookMs: number | undefined;
  const isOver = async (): Promise<boolean> => {
    const present = presentAddresses();
    if (vips.every((vip) => present.has(vip) === (place === 'here')))
      tookMs = Math.round(monotonicMs() - fromMs);
    return tookMs !== undefined || !(await isInEffect(steering, id));
  };
  await within(timeout, isOver, PLACE_INTERVAL_MS);
  return tookMs;
}

/** Resolves with true once `isReached` resolves with true, and with false at the deadline. */
export async function within(
  timeoutMs: number,
  isReached: () => Promise<boolean>,
  intervalMs = POLL_INTERVAL_MS,
): Promise<boolean> {
  const deadline = monotonicMs() + timeoutMs;
  while (!(await isReached())) {
    if (monotonicMs() >= deadline) return false;
    await pause(intervalMs);
  }
  return true;
}

export function refused(cannot: string, reasons: readonly string[]): OrderOutcome {
  return { outcome: 'refused', notes: reasons.map((reason) => `${cannot}: ${reason}`) };
}
