import type { VipKind } from '../../keepalived/vip-kind.ts';
import { drainObjections, type OrderFacts } from './move-plan.ts';
import {
  asked,
  awaitPlace,
  giveAndFollow,
  type OrderOutcome,
  refused,
  runOrderCommand,
  vipsOf,
} from './order-command.ts';
import { type OrderFile, readOrderFile, whatOvertook } from './order-file.ts';
import type { OrderReport } from './order-report.ts';
import type { DrainSettings } from './order-settings.ts';
import { type DrainOrder, notBegun, orderText, type VipOrder } from './vip-order.ts';

type Settings = DrainSettings;

/** Drains this node: resolves once its VIPs are elsewhere, or with why they are not. */
export async function drain(settings: Settings, env: NodeJS.ProcessEnv): Promise<OrderReport> {
  return await runOrderCommand('drain', settings, settings.kind, ({ facts }, kinds) =>
    drainKinds(kinds, facts, settings, env),
  );
}

async function drainKinds(
  kinds: readonly VipKind[],
  facts: OrderFacts,
  settings: Settings,
  env: NodeJS.ProcessEnv,
): Promise<OrderOutcome> {
  const { self } = facts;
  const cannot = `Cannot drain ${self}`;
  const file = await readOrderFile(settings.steering);
  const reasons = [...drainObjections(facts, kinds, settings.force), ...inTheWay(file, settings.force)];
  if (kinds.length === 0) reasons.push('this node has no VIP to drain');
  if (reasons.length > 0) return refused(cannot, reasons);
  const before = file.kind === 'order' ? file.order : undefined;
  const vips = vipsOf(facts, kinds);
  if (before?.kind === 'drain' && kinds.every((kind) => before.vips.includes(kind))) {
    const tookMs = await awaitPlace(vips, 'elsewhere', before.id, settings);
    const already = `${self} is ${orderText(notBegun, before, kinds[0] ?? 'api')} already`;
    return await outcomeOf(before, already, self, tookMs, settings);
  }
  const order = drainOf(kinds, before, asked(settings.reason, env));
  const note = `${self} is drained, until: hawser undrain`;
  const errand = { cannot, order, before, vips, place: 'elsewhere' } as const;
  return await giveAndFollow(errand, settings, (tookMs) => outcomeOf(order, note, self, tookMs, settings));
}

function inTheWay(file: OrderFile, force: boolean): string[] {
  if (file.kind === 'unusable') return [`${file.message} (hawser undrain removes it)`];
  if (file.kind === 'none' || file.order.kind !== 'move' || force) return [];
  return [`a move-vip by ${file.order.by} is in progress; wait for its end or add --force`];
}

/** A VIP that is already drained stays drained. */
function drainOf(
  kinds: readonly VipKind[],
  before: VipOrder | undefined,
  whose: ReturnType<typeof asked>,
): DrainOrder {
  const more = before?.kind === 'drain' ? before.vips : [];
  return { kind: 'drain', ...whose, vips: [...new Set([...more, ...kinds])] };
}

async function outcomeOf(
  { id }: DrainOrder,
  note: string,
  self: string,
  tookMs: number | undefined,
  { timeout, steering }: Settings,
): Promise<OrderOutcome> {
  const overtaken = await whatOvertook(steering, id);
  if (overtaken !== undefined)
    return {
      outcome: 'not-done',
      notes: [`${self} is not drained by this order: ${overtaken}`],
      tookMs: null,
    };
  if (tookMs !== undefined) return { outcome: 'done', notes: [note], tookMs };
  const still = `no node that is healthy and not drained took over every VIP within ${timeout / 1_000} s; they move once there is one`;
  return { outcome: 'not-done', notes: [note, still], tookMs: null };
}
