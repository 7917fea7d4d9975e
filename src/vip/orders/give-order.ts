import { hostname, userInfo } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import { messageOf } from '../../engine/system/errors.ts';
import { presentAddresses } from '../../engine/system/network/interface-addresses.ts';
import { monotonicMs } from '../../engine/system/time/monotonic-clock.ts';
import type { VipKind } from '../../keepalived/vip-kind.ts';
import type { KeepalivedMonitorStatus } from '../settings/keepalived-monitor-status.ts';
import { askMonitor } from './gather-facts.ts';
import { newOrderId, placeOrder, removeOrder, replaceOrder, whatOvertook } from './order-file.ts';
import type { OrderEndpoints } from './order-settings.ts';
import { type DrainOrder, orderText, type VipOrder } from './vip-order.ts';

/** Without a file notification, the monitor reads the file every few seconds. */
const TAKEN_WITHIN_MS = 20_000;
const LOOK_EVERY_MS = 50;
const PLACE_EVERY_MS = 10;

/** The fields that every order has: who gave it, and when. */
export function asked(why: string, env: NodeJS.ProcessEnv): Pick<VipOrder, 'id' | 'by' | 'why' | 'atMs'> {
  const user = env['SUDO_USER'] ?? userName();
  return { id: newOrderId(), by: `${user}@${hostname()}`.slice(0, 200), why, atMs: Date.now() };
}

function userName(): string {
  try {
    return userInfo().username;
  } catch {
    // In a container the user may have no name.
    return 'unknown';
  }
}

type GivenOrder =
  | { readonly kind: 'taken' }
  | { readonly kind: 'refused' | 'not-taken'; readonly message: string };

/**
 * Writes the order for the monitor, replacing `before` if given, and waits until the monitor follows it or the order is
 * gone: a completed move was taken too. An order that is not taken is removed.
 */
export async function giveOrder(
  order: VipOrder,
  before: VipOrder | undefined,
  places: OrderEndpoints,
): Promise<GivenOrder> {
  const path = places.steering;
  try {
    const isPlaced =
      before === undefined ? await placeOrder(path, order) : await replaceOrder(path, before.id, order);
    if (!isPlaced)
      return { kind: 'refused', message: `another order has come into "${path}", expected to be alone` };
  } catch (error) {
    return { kind: 'refused', message: `${messageOf(error)}, expected to be able to write "${path}"` };
  }
  const taken = await within(TAKEN_WITHIN_MS, async () => {
    if ((await whatOvertook(path, order.id)) !== undefined) return true;
    const look = await askMonitor(places);
    return look.kind === 'answered' && isFollowed(order, look.status.priorities);
  });
  if (taken) return { kind: 'taken' };
  await removeOrder(path, order.id).catch(() => undefined);
  const message = `the monitor did not pick up the order within ${TAKEN_WITHIN_MS / 1_000} s; check that its --steering is "${path}"`;
  return { kind: 'not-taken', message };
}

function isFollowed(order: VipOrder, priorities: KeepalivedMonitorStatus['priorities']): boolean {
  const isInEffect = (kind: VipKind, followed: string | null): boolean =>
    order.kind === 'drain' ? followed === drainText(order, [kind]) : followed !== null;
  const kinds = order.kind === 'drain' ? order.vips : [order.vip];
  return kinds.every((each) =>
    priorities.some((one) => one.kind === each && isInEffect(one.kind, one.order)),
  );
}

/** What the status says of a node that this order drains. */
export function drainText(order: DrainOrder, [kind = 'api']: readonly VipKind[]): string | undefined {
  return orderText({ kind: 'drained' }, order, kind);
}

/**
 * Resolves with the elapsed milliseconds once all of these VIPs are on this node, or none is. Resolves with undefined
 * at the deadline, or when `signal` aborts.
 */
export async function awaitPlace(
  vips: readonly string[],
  place: 'here' | 'elsewhere',
  timeoutMs: number,
  signal: AbortSignal,
): Promise<number | undefined> {
  const fromMs = monotonicMs();
  const isReached = async (): Promise<boolean> => {
    const present = presentAddresses();
    return vips.every((vip) => present.has(vip) === (place === 'here'));
  };
  const isDone = async (): Promise<boolean> => signal.aborted || (await isReached());
  const reached = await within(timeoutMs, isDone, PLACE_EVERY_MS);
  return reached && !signal.aborted ? Math.round(monotonicMs() - fromMs) : undefined;
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
