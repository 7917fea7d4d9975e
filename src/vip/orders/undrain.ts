import { rm } from 'node:fs/promises';
import { messageOf } from '../../engine/system/errors.ts';
import type { VipKind } from '../../keepalived/vip-kind.ts';
import { askMonitor } from './gather-facts.ts';
import {
  FOLLOWED_WITHIN_MS,
  notFollowed,
  type OrderOutcome,
  refused,
  runOrderCommand,
  within,
} from './order-command.ts';
import { newOrderId, readOrderFile, removeOrder, replaceOrder } from './order-file.ts';
import type { OrderReport } from './order-report.ts';
import type { UndrainSettings } from './order-settings.ts';
import type { DrainOrder } from './vip-order.ts';

type Settings = UndrainSettings;

/** Removes the drain even if no monitor answers: the next monitor will not find it. */
export async function undrain(settings: Settings): Promise<OrderReport> {
  const done = await takeAway(settings);
  const report = await runOrderCommand('undrain', settings, settings.kind, async (_, kinds) => {
    const doubt = done.outcome === 'done' ? await whyNotPickedUp(kinds, settings) : undefined;
    return doubt === undefined
      ? { ...done, notes: [] }
      : { outcome: 'not-done', notes: [doubt], tookMs: null };
  });
  return { ...report, notes: [...done.notes, ...report.notes] };
}

async function takeAway({ steering: path, kind }: Settings): Promise<OrderOutcome> {
  const file = await readOrderFile(path);
  if (file.kind === 'none') return done('This node is not drained.');
  if (file.kind === 'unusable')
    return await attempt(path, rm(path, { recursive: true }), `${file.message}: removed`);
  const { order } = file;
  if (order.kind !== 'drain')
    return refused('Cannot undrain', ['this node is not drained; a move-vip is in progress']);
  const work = shrink(path, order, kind ?? order.vips);
  return await attempt(path, work, `This node is not drained any more (it was by ${order.by}).`);
}

async function attempt(path: string, work: Promise<void>, note: string): Promise<OrderOutcome> {
  try {
    await work;
    return done(note);
  } catch (error) {
    return refused('Cannot undrain', [`${messageOf(error)}, expected to be able to write "${path}"`]);
  }
}

function done(note: string): OrderOutcome {
  return { outcome: 'done', notes: [note], tookMs: null };
}

async function shrink(path: string, order: DrainOrder, kinds: readonly VipKind[]): Promise<void> {
  const left = order.vips.filter((kind) => !kinds.includes(kind));
  if (left.length === 0) await removeOrder(path, order.id);
  else await replaceOrder(path, order.id, { ...order, id: newOrderId(), vips: left });
}

/** Undefined once the monitor follows the change. */
async function whyNotPickedUp(kinds: readonly VipKind[], settings: Settings): Promise<string | undefined> {
  let again: DrainOrder | undefined;
  const isOver = await within(FOLLOWED_WITHIN_MS, async () => {
    again = await drainedAgain(kinds, settings.steering);
    if (again !== undefined) return true;
    const look = await askMonitor(settings);
    if (look.kind === 'silent') return false;
    return look.status.priorities.every(({ kind, order }) => !kinds.includes(kind) || order === null);
  });
  if (again !== undefined) return `It was drained again in the meantime by ${again.by}: that order stands.`;
  return isOver ? undefined : notFollowed('change', settings.steering);
}

/** The rest of the order has none of these kinds. An order that has one is a later order. */
async function drainedAgain(kinds: readonly VipKind[], path: string): Promise<DrainOrder | undefined> {
  const file = await readOrderFile(path);
  if (file.kind !== 'order' || file.order.kind !== 'drain') return undefined;
  return file.order.vips.some((kind) => kinds.includes(kind)) ? file.order : undefined;
}
