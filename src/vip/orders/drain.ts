import { rm } from 'node:fs/promises';
import type { VipKind } from '../../keepalived/vip-kind.ts';
import { askMonitor } from './gather-facts.ts';
import { drainObjections, type OrderFacts } from './move-plan.ts';
import {
  awaitPlace,
  newOrder,
  notPickedUp,
  notWritable,
  type OrderOutcome,
  PICKED_UP_WITHIN_MS,
  placeAndAwait,
  refused,
  runOrderCommand,
  vipsOf,
  within,
} from './order-command.ts';
import {
  newOrderId,
  type OrderFile,
  readOrderFile,
  removeOrder,
  replaceOrder,
  whySuperseded,
} from './order-file.ts';
import type { OrderReport } from './order-report.ts';
import type { DrainSettings, UndrainSettings } from './order-settings.ts';
import { type DrainOrder, notBegun, orderText } from './vip-order.ts';

/** Drains this node. Resolves once its VIPs are on other nodes, or with the reasons why they are not. */
export async function drain(settings: DrainSettings, env: NodeJS.ProcessEnv): Promise<OrderReport> {
  return await runOrderCommand('drain', settings, settings.kind, (facts, kinds) =>
    drainKinds(kinds, facts, settings, env),
  );
}

async function drainKinds(
  kinds: readonly VipKind[],
  facts: OrderFacts,
  settings: DrainSettings,
  env: NodeJS.ProcessEnv,
): Promise<OrderOutcome> {
  const { self } = facts;
  const cannot = `Cannot drain ${self}`;
  const file = await readOrderFile(settings.steering);
  const reasons = [...drainObjections(facts, kinds, settings.force), ...blockedBy(file, settings.force)];
  if (kinds.length === 0) reasons.push('this node has no VIP to drain');
  if (reasons.length > 0) return refused(cannot, reasons);
  const before = file.kind === 'order' ? file.order : undefined;
  const vips = vipsOf(facts, kinds);
  const drained = before?.order === 'drain' ? before.vips : [];
  if (before?.order === 'drain' && kinds.every((kind) => drained.includes(kind))) {
    const tookMs = await awaitPlace(vips, 'elsewhere', before.id, settings);
    const alreadyNote = `${self} is already ${orderText(notBegun, before, kinds[0] ?? 'api')}`;
    return await outcomeOf(before, alreadyNote, self, tookMs, settings);
  }
  // A VIP that is already drained stays drained.
  const all = [...new Set([...drained, ...kinds])];
  const order: DrainOrder = { ...newOrder(settings.reason, env), order: 'drain', vips: all };
  const note = `${self} is drained, until: hawser undrain`;
  const task = { cannot, order, before, vips, place: 'elsewhere' } as const;
  return await placeAndAwait(task, settings, (tookMs) => outcomeOf(order, note, self, tookMs, settings));
}

/** Why the order file prevents a drain; empty if it does not. */
function blockedBy(file: OrderFile, force: boolean): string[] {
  if (file.kind === 'unusable') return [`${file.message} (hawser undrain removes it)`];
  if (file.kind === 'none' || file.order.order !== 'move-vip' || force) return [];
  return [`a move-vip by ${file.order.by} is in progress; wait until it ends or add --force`];
}

async function outcomeOf(
  { id }: DrainOrder,
  note: string,
  self: string,
  tookMs: number | undefined,
  { timeout, steering }: DrainSettings,
): Promise<OrderOutcome> {
  const superseded = await whySuperseded(steering, id);
  if (superseded !== undefined)
    return { outcome: 'not-done', notes: [`${self} is not drained by this order: ${superseded}`] };
  if (tookMs !== undefined) return { outcome: 'done', notes: [note], tookMs };
  const still = `no node that is healthy and not drained took over every VIP within ${timeout / 1_000} s; they move once there is one`;
  return { outcome: 'not-done', notes: [note, still] };
}

/** Removes the drain, even if no monitor answers: the next monitor then starts without it. */
export async function undrain(settings: UndrainSettings): Promise<OrderReport> {
  const removal = await removeDrain(settings);
  const report = await runOrderCommand('undrain', settings, settings.kind, async (_, kinds) => {
    const problem = removal.outcome === 'done' ? await whyNotPickedUp(kinds, settings) : undefined;
    return problem === undefined ? { ...removal, notes: [] } : { outcome: 'not-done', notes: [problem] };
  });
  return { ...report, notes: [...removal.notes, ...report.notes] };
}

async function removeDrain(settings: UndrainSettings): Promise<OrderOutcome> {
  const { steering: path } = settings;
  const file = await readOrderFile(path);
  if (file.kind === 'none') return { outcome: 'done', notes: ['This node is not drained.'] };
  try {
    if (file.kind === 'unusable') {
      await rm(path, { recursive: true });
      return { outcome: 'done', notes: [`${file.message}: removed`] };
    }
    const { order } = file;
    if (order.order !== 'drain')
      return refused('Cannot undrain', ['this node is not drained; a move-vip is in progress']);
    const left = await remainingKinds(order, settings);
    if (left.length === 0) await removeOrder(path, order.id);
    else await replaceOrder(path, order.id, { ...order, id: newOrderId(), vips: left });
    return { outcome: 'done', notes: [`This node is no longer drained (drained by ${order.by}).`] };
  } catch (error) {
    return refused('Cannot undrain', [notWritable(path, error)]);
  }
}

/**
 * The kinds that stay drained. Without those that this node no longer has, if its monitor answers: a monitor refuses an order that is
 * for none of its kinds.
 */
async function remainingKinds(order: DrainOrder, settings: UndrainSettings): Promise<readonly VipKind[]> {
  const { kind: undrained } = settings;
  if (undrained === undefined) return [];
  const status = await askMonitor(settings);
  const isHere = (kind: VipKind): boolean =>
    typeof status === 'string' || status.priorities.some((each) => each.kind === kind);
  return order.vips.filter((kind) => !undrained.includes(kind) && isHere(kind));
}

/** Waits until the monitor has applied the change. Resolves with undefined then, or with the problem. */
async function whyNotPickedUp(
  kinds: readonly VipKind[],
  settings: UndrainSettings,
): Promise<string | undefined> {
  let laterDrain: DrainOrder | undefined;
  const isPickedUp = await within(PICKED_UP_WITHIN_MS, async () => {
    laterDrain = await drainedAgain(kinds, settings.steering);
    if (laterDrain !== undefined) return true;
    const status = await askMonitor(settings);
    if (typeof status === 'string') return false;
    return status.priorities.every(({ kind, order }) => !kinds.includes(kind) || order === null);
  });
  if (laterDrain !== undefined)
    return `It was drained again in the meantime by ${laterDrain.by}: that order stands.`;
  return isPickedUp ? undefined : notPickedUp('change', settings.steering);
}

/** A later drain of one of these kinds: what remains of the removed order contains none of them. */
async function drainedAgain(kinds: readonly VipKind[], path: string): Promise<DrainOrder | undefined> {
  const file = await readOrderFile(path);
  if (file.kind !== 'order' || file.order.order !== 'drain') return undefined;
  return file.order.vips.some((kind) => kinds.includes(kind)) ? file.order : undefined;
}
