import { randomBytes } from 'node:crypto';
import { constants, link, rm } from 'node:fs/promises';
import * as z from 'zod/mini';
import { codeOf, messageOf } from '../../engine/system/errors.ts';
import { writeFileAtomically } from '../../engine/system/file/atomic-write.ts';
import { readRegularFile } from '../../engine/system/file/read-regular-file.ts';
import { isoTime } from '../../engine/system/time/iso-time.ts';
import { vipKinds } from '../../keepalived/vip-kind.ts';
import { longestMoveMs, type VipOrder } from './vip-order.ts';

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
    const parsed = parseOrder(bytes.toString('utf8'));
    return parsed.kind === 'order' ? parsed : unusable(path, parsed.problem);
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
  const end = order.kind === 'drain' ? 'cancel it with hawser undrain' : `until ${isoTime(order.untilMs)}`;
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

type ParsedOrder =
  | { readonly kind: 'order'; readonly order: VipOrder }
  /** A sentence that begins with what is wrong and ends with what was expected. */
  | { readonly kind: 'unusable'; readonly problem: string };

/** No control character, and none that turns text around: it goes into logs and to terminals. */
export const words = z
  .string()
  .check(
    z.maxLength(200, { error: 'expected at most 200 characters' }),
    z.regex(/^[^\p{Cc}\p{Cf}\p{Zl}\p{Zp}]*$/u, { error: 'expected text without control characters' }),
  );
const moment = z.pipe(
  z.iso.datetime(),
  z.transform((text) => Date.parse(text)),
);
const vip = z.enum(vipKinds);
const id = z.string().check(z.regex(/^[0-9a-f]{16}$/));
const asked = { v: z.literal(1), id, by: words, why: words, at: moment };

const drain = z.strictObject({
  ...asked,
  order: z.literal('drain'),
  vips: z.array(vip).check(z.minLength(1)),
});
const move = z.strictObject({
  ...asked,
  order: z.literal('move-vip'),
  vip,
  first: z.enum(['demote', 'promote']),
  until: moment,
});
const schema = z.discriminatedUnion('order', [drain, move]);

/**
 * Reads an order. Anything but a complete order is unusable, because a guess would move a VIP. So is a move that
 * would last longer than any may.
 */
export function parseOrder(text: string): ParsedOrder {
  try {
    const parsed = schema.safeParse(JSON.parse(text));
    return parsed.success ? orderOf(parsed.data) : noOrder(problemOf(parsed.error.issues[0]));
  } catch (error) {
    return noOrder(`invalid JSON (${messageOf(error).split('\n')[0]?.slice(0, 120)})`);
  }
}

function orderOf(data: z.infer<typeof schema>): ParsedOrder {
  const asked = { id: data.id, by: data.by, why: data.why, atMs: data.at };
  if (data.order === 'drain') return { kind: 'order', order: { kind: 'drain', ...asked, vips: data.vips } };
  const { vip, first, until: untilMs } = data;
  if (untilMs - data.at > longestMoveMs)
    return noOrder(`it would last for ${untilMs - data.at} ms (at most ${longestMoveMs} ms)`);
  return { kind: 'order', order: { kind: 'move', ...asked, vip, first, untilMs } };
}

function noOrder(what: string): ParsedOrder {
  const printable = what.replaceAll(/[\p{Cc}\p{Cf}]/gu, '·');
  return { kind: 'unusable', problem: `${printable}, expected an order that hawser drain or move-vip wrote` };
}

function problemOf(issue: z.core.$ZodIssue | undefined): string {
  if (issue?.code === 'unrecognized_keys')
    return `it has "${issue.keys.slice(0, 3).join('", "').slice(0, 80)}"`;
  const key = issue?.path.join('.') ?? '';
  return key === '' ? 'not a VIP order' : `its "${key.slice(0, 80)}" is missing or wrong`;
}

/** The text that `parseOrder` reads as this order. */
export function orderFileText(order: VipOrder): string {
  return `${JSON.stringify({ v: 1, ...fieldsOf(order) })}\n`;
}

function fieldsOf(order: VipOrder): Readonly<Record<string, unknown>> {
  const { id, by, why } = order;
  const asked = { id, by, why, at: isoTime(order.atMs) };
  if (order.kind === 'drain') return { order: 'drain', ...asked, vips: order.vips };
  const { vip, first, untilMs } = order;
  return { order: 'move-vip', ...asked, vip, first, until: isoTime(untilMs) };
}
