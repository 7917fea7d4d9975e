import { hostname, userInfo } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import { messageOf } from '../../engine/system/errors.ts';
import { presentAddresses } from '../../engine/system/network/interface-addresses.ts';
import { monotonicMs } from '../../engine/system/time/monotonic-clock.ts';
import type { VipKind } from '../../keepalived/vip-kind.ts';
import { askMonitor } from './gather-facts.ts';
import { newOrderId, placeOrder, removeOrder, replaceOrder, whatOvertook } from './order-file.ts';
import type { SteeringEndpoints } from './steering-settings.ts';
import type { SteeringOrder } from './vrrp-steering.ts';

/** Without a file notification, the monitor reads the file every few seconds. */
const TAKEN_WITHIN_MS = 20_000;
const LOOK_EVERY_MS = 50;

/** The fields that every order has: who gave it, and when. */
export function asked(
  why: string,
  env: NodeJS.ProcessEnv,
): Pick<SteeringOrder, 'id' | 'by' | 'why' | 'atMs'> {
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

export type OrderOutcome =
  | { readonly kind: 'taken' }
  /** The order is gone: it was withdrawn or replaced, possibly before it was taken. */
  | { readonly kind: 'refused' | 'not-taken' | 'overtaken'; readonly message: string };

/**
 * Writes the order for the monitor, replacing `before` if given, and waits until the monitor follows it. `isTaken`
 * judges the monitor's status of each kind of VIP; a completed move was taken too. An order that is not taken is
 * removed.
 */
export async function giveOrder(
  order: SteeringOrder,
  before: SteeringOrder | undefined,
  places: SteeringEndpoints,
  isTaken: (kind: VipKind, steered: string | null) => boolean,
): Promise<OrderOutcome> {
  const path = places.steering;
  try {
    const isPlaced =
      before === undefined ? await placeOrder(path, order) : await replaceOrder(path, before.id, order);
    if (!isPlaced)
      return { kind: 'refused', message: `another order has come into "${path}", expected to be alone` };
  } catch (error) {
    return { kind: 'refused', message: `${messageOf(error)}, expected to be able to write "${path}"` };
  }
  const kinds = order.kind === 'drain' ? order.vips : [order.vip];
  let overtaken: string | undefined;
  const taken = await within(TAKEN_WITHIN_MS, async () => {
    const what = await whatOvertook(path, order.id);
    if (order.kind === 'drain') overtaken = what;
    if (what !== undefined) return true;
    const look = await askMonitor(places);
    if (look.kind === 'silent') return false;
    const { priorities } = look.status;
    return kinds.every((each) =>
      priorities.some(({ kind, steered }) => kind === each && isTaken(kind, steered)),
    );
  });
  if (overtaken !== undefined) return { kind: 'overtaken', message: overtaken };
  if (taken) return { kind: 'taken' };
  await removeOrder(path, order.id).catch(() => undefined);
  const message = `the monitor has not taken the order within ${TAKEN_WITHIN_MS} ms, expected it to: is "${path}" the file that it reads?`;
  return { kind: 'not-taken', message };
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
  const reached = await within(timeoutMs, async () => signal.aborted || (await isReached()));
  return reached && !signal.aborted ? Math.round(monotonicMs() - fromMs) : undefined;
}

/** Resolves with what became of the order once it is no longer in force. Rejects when `signal` aborts. */
export async function untilOvertaken(path: string, id: string, signal: AbortSignal): Promise<string> {
  for (;;) {
    const what = await whatOvertook(path, id);
    if (what !== undefined) return what;
    await pause(LOOK_EVERY_MS, undefined, { signal });
  }
}

/** Resolves with true once `isReached`, with false at the deadline. */
export async function within(timeoutMs: number, isReached: () => Promise<boolean>): Promise<boolean> {
  const deadline = monotonicMs() + timeoutMs;
  while (!(await isReached())) {
    if (monotonicMs() >= deadline) return false;
    await pause(LOOK_EVERY_MS);
  }
  return true;
}
