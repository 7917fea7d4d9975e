import { moveOrder, within } from './give-order.ts';
import { isThere } from './order-file.ts';
import {
  giveAndFollow,
  planNow,
  refused,
  type Situation,
  type SteeringOutcome,
  steer,
  vipsOf,
} from './steer.ts';
import type { Move } from './steering-plan.ts';
import type { SteeringReport } from './steering-report.ts';
import type { MoveVipSettings } from './steering-settings.ts';

type Settings = MoveVipSettings;

const CANNOT = 'Cannot move the VIP';

/** Moves a VIP once: resolves once it is where it was to be, or with why it is not. */
export async function moveVip(settings: Settings, env: NodeJS.ProcessEnv): Promise<SteeringReport> {
  return await steer('move-vip', settings, [settings.kind], async (situation) => {
    const { kind, to, steering } = settings;
    const plan = await planNow(situation, { kind, to, back: false }, steering);
    if (plan.kind === 'nothing') return { outcome: 'done', notes: [plan.why], tookMs: null };
    if (plan.kind === 'refused') return refused(CANNOT, plan.reasons);
    if (!settings.dryRun) return await move(plan, situation, settings, env);
    const notes = [`It would go to ${plan.to ?? 'another node'}: ${plan.why}.`];
    return { outcome: 'would-do', notes, tookMs: null };
  });
}

async function move(
  { first }: Move,
  { facts }: Situation,
  settings: Settings,
  env: NodeJS.ProcessEnv,
): Promise<SteeringOutcome> {
  const { kind: vip, timeout, steering } = settings;
  const order = moveOrder({ purpose: 'move-vip', vip, first, backAfterMs: undefined }, settings, env);
  const errand = {
    order,
    vips: vipsOf(facts, [vip]),
    place: first === 'yield' ? 'elsewhere' : 'here',
    cannot: CANNOT,
  } as const;
  return await giveAndFollow(errand, settings, async (arrival) => {
    const tookMs = await arrival;
    // A following command must not find this order.
    await within(timeout, async () => !(await isThere(steering, order.id)));
    if (tookMs !== undefined)
      return { outcome: 'done', notes: [`The VIP has moved, ${tookMs} ms after the order.`], tookMs };
    const missing = first === 'yield' ? 'no node has taken the VIP' : 'this node could not take the VIP';
    const notes = [`${missing} within ${timeout} ms; the order has run out`];
    return { outcome: 'not-done', notes, tookMs: null };
  });
}
