import * as z from 'zod/mini';
import { messageOf } from '../../engine/system/errors.ts';
import { isoTime } from '../../engine/system/time/iso-time.ts';
import { longestMoveMs, type VipOrder } from './vip-order.ts';

type ParsedOrder =
  | { readonly kind: 'order'; readonly order: VipOrder }
  /** A sentence that begins with what is wrong and ends with what was expected. */
  | { readonly kind: 'unusable'; readonly problem: string };

/** No control character, and none that turns text around: it goes into logs and to terminals. */
const words = z
  .string()
  .check(z.maxLength(200), z.regex(/^[^\p{Cc}\p{Cf}\p{Zl}\p{Zp}]*$/u, { error: 'expected printable text' }));
const moment = z.pipe(
  z.iso.datetime(),
  z.transform((text) => Date.parse(text)),
);
const vip = z.enum(['api', 'ingress']);
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
 * Reads an order. Whatever is not exactly one is unusable, half a file too: a guess would move a VIP. So is a move that
 * would last longer than any may.
 */
export function parseOrder(text: string): ParsedOrder {
  try {
    const parsed = schema.safeParse(JSON.parse(text));
    return parsed.success ? orderOf(parsed.data) : unusable(problemOf(parsed.error.issues[0]));
  } catch (error) {
    return unusable(`invalid JSON (${messageOf(error).split('\n')[0]?.slice(0, 120)})`);
  }
}

function orderOf(data: z.infer<typeof schema>): ParsedOrder {
  const asked = { id: data.id, by: data.by, why: data.why, atMs: data.at };
  if (data.order === 'drain') return { kind: 'order', order: { kind: 'drain', ...asked, vips: data.vips } };
  const { vip, first, until: untilMs } = data;
  if (untilMs - data.at > longestMoveMs)
    return unusable(`it would last for ${untilMs - data.at} ms (at most ${longestMoveMs} ms)`);
  return { kind: 'order', order: { kind: 'move', ...asked, vip, first, untilMs } };
}

function unusable(what: string): ParsedOrder {
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
