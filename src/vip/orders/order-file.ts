import { randomBytes } from 'node:crypto';
import { constants, link, rm } from 'node:fs/promises';
import type * as z from 'zod/mini';
import { codeOf, messageOf } from '../../engine/system/errors.ts';
import { writeFileAtomically } from '../../engine/system/file/atomic-write.ts';
import { readRegularFile } from '../../engine/system/file/read-regular-file.ts';
import { orderSchema, type VipOrder } from './vip-order.ts';

/** Far above any order. */
const MAX_ORDER_BYTES = 8 * 1024;

export type OrderFile =
  | { readonly kind: 'none' }
  | { readonly kind: 'order'; readonly order: VipOrder }
  | { readonly kind: 'unusable'; readonly message: string };

/** Never rejects, and never waits for the writer of a pipe of that name. */
export async function readOrderFile(path: string): Promise<OrderFile> {
  try {
    const { bytes } = await readRegularFile(path, { MAX_ORDER_BYTES }, constants.O_NOFOLLOW);
    const order = parseOrder(bytes.toString('utf8'));
    return typeof order === 'string' ? unusable(path, order) : { kind: 'order', order };
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return { kind: 'none' };
    return unusable(path, `${messageOf(error)}, expected an order or no file`);
  }
}

function unusable(path: string, problem: string): OrderFile {
  return { kind: 'unusable', message: `Cannot use "${path}": ${problem}` };
}

/** A unique name for an order. */
export function newOrderId(): string {
  return randomBytes(8).toString('hex');
}

/**
 * Writes the order unless another is present, in one step, so that its reader sees all of it. Resolves with false if another
 * order is there, which stays. Rejects with the system's error.
 */
export async function placeOrder(path: string, order: VipOrder): Promise<boolean> {
  const staged = `${path}.${newOrderId()}`;
  try {
    await writeFileAtomically(staged, orderFileText(order), { mode: 0o644 });
    await link(staged, path);
    return true;
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false;
    throw error;
  } finally {
    await rm(staged, { force: true });
  }
}

/** Replaces one order by another. False if the first is gone. */
export async function replaceOrder(path: string, id: string, order: VipOrder): Promise<boolean> {
  if (!(await isThere(path, id))) return false;
  await writeFileAtomically(path, orderFileText(order), { mode: 0o644 });
  return true;
}

/** Leaves an order that has replaced it since. */
export async function removeOrder(path: string, id: string): Promise<void> {
  if (await isThere(path, id)) await rm(path, { force: true });
}

/** Why no new order can be written here; undefined if one can. */
export async function orderInTheWay(path: string): Promise<string | undefined> {
  const file = await readOrderFile(path);
  if (file.kind === 'none') return undefined;
  if (file.kind === 'unusable') return `${file.message} (hawser undrain removes it)`;
  const { order } = file;
  const end = order.order === 'drain' ? 'cancel it with hawser undrain' : `until ${order.until}`;
  return `an order is already in effect (${end})`;
}

/** What became of an order that is no longer in force; undefined while it is. */
export async function whatOvertook(path: string, id: string): Promise<string | undefined> {
  const file = await readOrderFile(path);
  if (file.kind === 'none') return 'the order was cancelled (hawser undrain)';
  if (file.kind === 'unusable') return `${file.message}, in the place of the order`;
  if (file.order.id === id) return undefined;
  return `another order by ${file.order.by} has replaced it`;
}

/** Whether this order is in effect. */
export async function isThere(path: string, id: string): Promise<boolean> {
  const file = await readOrderFile(path);
  return file.kind === 'order' && file.order.id === id;
}

/**
 * Reads an order, or says what is wrong and what was expected. Anything but a complete order is unusable, because a guess would move a VIP. So
 * is a move that would last longer than any may.
 */
export function parseOrder(text: string): VipOrder | string {
  try {
    const parsed = orderSchema.safeParse(JSON.parse(text));
    return parsed.data ?? noOrder(problemOf(parsed.error?.issues[0]));
  } catch (error) {
    return noOrder(`invalid JSON (${messageOf(error).split('\n')[0]?.slice(0, 120)})`);
  }
}

function noOrder(what: string): string {
  const printable = what.replaceAll(/[\p{Cc}\p{Cf}]/gu, '·');
  return `${printable}, expected an order that hawser drain or move-vip wrote`;
}

function problemOf(issue: z.core.$ZodIssue | undefined): string {
  if (issue?.code === 'custom') return issue.message;
  if (issue?.code === 'unrecognized_keys')
    return `it has "${issue.keys.slice(0, 3).join('", "').slice(0, 80)}"`;
  const key = issue?.path.join('.') ?? '';
  return key === '' ? 'not a VIP order' : `its "${key.slice(0, 80)}" is missing or wrong`;
}

/** The text that `parseOrder` reads as this order. */
export function orderFileText(order: VipOrder): string {
  return `${JSON.stringify(order)}\n`;
}
