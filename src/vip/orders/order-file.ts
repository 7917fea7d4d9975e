import { randomBytes } from 'node:crypto';
import { constants, link, rm } from 'node:fs/promises';
import type * as z from 'zod/mini';
import { codeOf, messageOf } from '../../engine/system/errors.ts';
import { writeFileAtomically } from '../../engine/system/file/atomic-write.ts';
import { readRegularFile } from '../../engine/system/file/read-regular-file.ts';
import { orderSchema, type VipOrder } from './vip-order.ts';

/** Far more than any order needs. */
const MAX_ORDER_BYTES = 8 * 1024;

export type OrderFile =
  | { readonly kind: 'none' }
  | { readonly kind: 'order'; readonly order: VipOrder }
  | { readonly kind: 'unusable'; readonly message: string };

/** Reads the order file. Never rejects, and never blocks if the path is a FIFO. */
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

/** A unique id for an order. */
export function newOrderId(): string {
  return randomBytes(8).toString('hex');
}

/**
 * Writes the order atomically unless the file exists. Resolves with false if it does; the existing order stays. Rejects with the
 * system's error.
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

/** Replaces the order `id` with another one. Resolves with false if the order `id` is no longer in effect. */
export async function replaceOrder(path: string, id: string, order: VipOrder): Promise<boolean> {
  if (!(await isInEffect(path, id))) return false;
  await writeFileAtomically(path, orderFileText(order), { mode: 0o644 });
  return true;
}

/** Removes the order `id`. An order that has replaced it stays. */
export async function removeOrder(path: string, id: string): Promise<void> {
  if (await isInEffect(path, id)) await rm(path, { force: true });
}

/** Why no new order can be written to this path; undefined if one can. */
export async function blockingOrder(path: string): Promise<string | undefined> {
  const file = await readOrderFile(path);
  if (file.kind === 'none') return undefined;
  if (file.kind === 'unusable') return `${file.message} (hawser undrain removes it)`;
  const { order } = file;
  const end = order.order === 'drain' ? 'cancel it with hawser undrain' : `until ${order.until}`;
  return `an order is already in effect (${end})`;
}

/** Why an order is no longer in effect; undefined while it is. */
export async function whySuperseded(path: string, id: string): Promise<string | undefined> {
  const file = await readOrderFile(path);
  if (file.kind === 'none') return 'the order was cancelled (hawser undrain)';
  if (file.kind === 'unusable') return `${file.message}; the order was overwritten`;
  if (file.order.id === id) return undefined;
  return `another order by ${file.order.by} has replaced it`;
}

/** Whether the order `id` is in effect. */
export async function isInEffect(path: string, id: string): Promise<boolean> {
  const file = await readOrderFile(path);
  return file.kind === 'order' && file.order.id === id;
}

/**
 * Parses an order, or returns what is wrong and what was expected. Anything but a complete order is invalid, because a wrong guess
 * would move a VIP. A move that would last longer than `longestMoveMs` is invalid too.
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
    return `unknown key "${issue.keys.slice(0, 3).join('", "').slice(0, 80)}"`;
  const key = issue?.path.join('.') ?? '';
  return key === '' ? 'not a VIP order' : `its "${key.slice(0, 80)}" is missing or wrong`;
}

/** The text of an order file. `parseOrder` is the inverse. */
export function orderFileText(order: VipOrder): string {
  return `${JSON.stringify(order)}\n`;
}
