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
import { isThere, newOrderId, placeOrder, removeOrder, replaceOrder } from './order-file.ts';
import type { OrderReport } from './order-report.ts';
import type { OrderEndpoints } from './order-settings.ts';
import { notBegun, orderText, type VipOrder } from './vip-order.ts';

export type OrderOutcome = Pick<OrderReport, 'outcome' | 'notes'> & {
  readonly tookMs?: number;
  readonly probe?: OrderReport['probe'];
};

/**
 * The steps of every such command: asks the monitor, does the work for the wanted kinds of VIP (by default all that this
 * node has), and reports the VIPs' holders afterwards. Without a monitor the work is not done.
 */
export async function runOrderCommand(
  command: OrderReport['command'],
  places: OrderEndpoints,
  wanted: readonly VipKind[] | undefined,
  work: (facts: OrderFacts, kinds: readonly VipKind[]) => Promise<OrderOutcome>,
): Promise<OrderReport> {
  const status = await askMonitor(places);
  const begun = { v: 1, command, tookMs: null, probe: null } as const;
  if (typeof status === 'string')
    return { ...begun, node: '', outcome: 'unknown', notes: [status], vips: [] };
  const facts = await factsOf(status, places);
  const kinds = wanted ?? facts.vips.map(({ kind }) => kind);
  const outcome = await work(facts, kinds);
  return { ...begun, node: facts.self, ...outcome, vips: await whereAre(kinds, facts) };
}

/** The holders of the VIPs of these kinds. */
async function whereAre(
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

/** The fields that every order has: who gave it, and when. */
export function asked(why: string, env: NodeJS.ProcessEnv): Omit<VipOrder, 'order'> {
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

interface Errand {
  /** How a refusal begins: `Cannot drain cp-1`. */
  readonly cannot: string;
  readonly order: VipOrder;
  /** The order that it replaces. */
  readonly before?: VipOrder | undefined;
  readonly vips: readonly string[];
  readonly place: Place;
}

type Place = 'here' | 'elsewhere';
type Waiting = OrderEndpoints & { readonly timeout: number };

/**
 * Writes the order and waits until the monitor follows it, or it is gone: a completed move was followed too. Then `follow`
 * makes the outcome of how long the VIPs took to get to their place: see `awaitPlace`. An order that is not followed is
 * removed.
 */
export async function giveAndFollow(
  { cannot, order, before, vips, place }: Errand,
  settings: Waiting,
  follow: (tookMs: number | undefined) => Promise<OrderOutcome>,
): Promise<OrderOutcome> {
  const path = settings.steering;
  const fromMs = monotonicMs();
  try {
    const isPlaced =
      before === undefined ? await placeOrder(path, order) : await replaceOrder(path, before.id, order);
    if (!isPlaced) return refused(cannot, [`another order has come into "${path}", expected to be alone`]);
  } catch (error) {
    return refused(cannot, [notWritable(path, error)]);
  }
  const arrival = awaitPlace(vips, place, order.id, settings, fromMs);
  const isFollowed = await within(FOLLOWED_WITHIN_MS, async () => {
    if (!(await isThere(path, order.id))) return true;
    const status = await askMonitor(settings);
    return typeof status !== 'string' && follows(status.priorities, order);
  });
  if (isFollowed) return await follow(await arrival);
  await removeOrder(path, order.id).catch(() => undefined);
  return { outcome: 'unknown', notes: [`${cannot}: ${notFollowed('order', path)}`] };
}

/** Without a file notification, the monitor reads the file every few seconds. */
export const FOLLOWED_WITHIN_MS = 20_000;

export function notFollowed(what: 'order' | 'change', path: string): string {
  return `the monitor did not pick up the ${what} within ${FOLLOWED_WITHIN_MS / 1_000} s; check that its --steering is "${path}"`;
}

export function notWritable(path: string, error: unknown): string {
  return `${messageOf(error)}, expected to be able to write "${path}"`;
}

function follows(priorities: KeepalivedMonitorStatus['priorities'], order: VipOrder): boolean {
  const kinds = order.order === 'drain' ? order.vips : [order.vip];
  return kinds.every((kind) =>
    priorities.some((one) => one.kind === kind && one.order === orderText(notBegun, order, kind)),
  );
}

const LOOK_EVERY_MS = 50;
const PLACE_EVERY_MS = 10;

/**
 * Resolves with the milliseconds since `fromMs` once all of these VIPs are on this node, or none is. Resolves with undefined
 * at the deadline, or when the order is gone.
 */
export async function awaitPlace(
  vips: readonly string[],
  place: Place,
  id: string,
  { steering, timeout }: Waiting,
  fromMs = monotonicMs(),
): Promise<number | undefined> {
  let tookMs: number | undefined;
  const look = async (): Promise<boolean> => {
    const present = presentAddresses();
    if (vips.every((vip) => present.has(vip) === (place === 'here')))
      tookMs = Math.round(monotonicMs() - fromMs);
    return tookMs !== undefined || !(await isThere(steering, id));
  };
  await within(timeout, look, PLACE_EVERY_MS);
  return tookMs;
}

/** Resolves with true once `isReached`, with false at the deadline. */
export async function within(
  timeoutMs: number,
  isReached: () => Promise<boolean>,
  everyMs = LOOK_EVERY_MS,
): Promise<boolean> {
  const deadline = monotonicMs() + timeoutMs;
  while (!(await isReached())) {
    if (monotonicMs() >= deadline) return false;
    await pause(everyMs);
  }
  return true;
}

export function refused(cannot: string, reasons: readonly string[]): OrderOutcome {
  return { outcome: 'refused', notes: reasons.map((reason) => `${cannot}: ${reason}`) };
}
