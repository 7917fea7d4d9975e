import { setTimeout as pause } from 'node:timers/promises';
import { hostPort } from '../../engine/system/network/address-text.ts';
import { isoTime } from '../../engine/system/time/iso-time.ts';
import { monotonicMs } from '../../engine/system/time/monotonic-clock.ts';
import { findHolder } from './gather-facts.ts';
import { type Move, type OrderFacts, planMove } from './move-plan.ts';
import {
  newOrder,
  type OrderOutcome,
  placeAndAwait,
  refused,
  runOrderCommand,
  vipsOf,
  within,
} from './order-command.ts';
import { blockingOrder, isInEffect } from './order-file.ts';
import type { OrderReport } from './order-report.ts';
import type { MoveVipSettings } from './order-settings.ts';
import type { MoveOrder } from './vip-order.ts';
import { type Attempt, type ProbePlan, probeFigures, startVipProbe } from './vip-probe.ts';

const CANNOT = 'Cannot move the VIP';
const PROBE = { everyMs: 20, timeoutMs: 1_000 };
/** How long the VIP is probed before the order. Probing ends with the order, two seconds after the move. */
const PROBE_BEFORE_MS = 1_000;
const INGRESS_PORT = 443;

type Settings = MoveVipSettings;

/** Moves a VIP once and probes it meanwhile. Resolves once it has moved, or with the reasons why it has not. */
export async function moveVip(settings: Settings, env: NodeJS.ProcessEnv): Promise<OrderReport> {
  return await runOrderCommand('move-vip', settings, [settings.kind], async (facts) => {
    const { kind, to, steering } = settings;
    const [vip] = vipsOf(facts, [kind]);
    const holder = vip === undefined ? undefined : await findHolder(vip, facts.group);
    const plan = planMove(facts, { kind, to, holder: holder?.name });
    if (plan.kind === 'nothing') return { outcome: 'done', notes: [plan.why] };
    if (plan.kind === 'refused') return refused(CANNOT, plan.reasons);
    const blocked = await blockingOrder(steering);
    if (blocked !== undefined) return refused(CANNOT, [blocked]);
    if (!settings.dryRun) return await probedMove(plan, facts, settings, env);
    return { outcome: 'would-do', notes: [`It would go to ${plan.to ?? 'another node'}: ${plan.why}.`] };
  });
}

async function probedMove(
  plan: Move,
  facts: OrderFacts,
  settings: Settings,
  env: NodeJS.ProcessEnv,
): Promise<OrderOutcome> {
  const { kind, apiPort } = settings;
  const [vip = ''] = vipsOf(facts, [kind]);
  const target: ProbePlan =
    kind === 'api'
      ? { ...PROBE, host: vip, port: apiPort, how: 'https' }
      : { ...PROBE, host: vip, port: INGRESS_PORT, how: 'tcp' };
  const probe = startVipProbe(target);
  try {
    await pause(PROBE_BEFORE_MS);
    const fields = newOrder(settings.reason, env);
    const until = isoTime(Date.parse(fields.at) + settings.timeout);
    const order: MoveOrder = { ...fields, order: 'move-vip', vip: kind, first: plan.first, until };
    const orderedMs = monotonicMs();
    const outcome = await move(order, facts, settings);
    await probe.stop();
    if (outcome.tookMs === undefined) return outcome;
    const attempts = probe.attempts();
    const answeredMs = firstAnswerMs(attempts, orderedMs + outcome.tookMs);
    const report = {
      from: facts.self,
      how: target.how,
      target: hostPort(target),
      ...probeFigures(attempts),
      holder: plan.first === 'promote' ? facts.self : await holderOf(vip, facts),
      answeredMs: answeredMs === null ? null : Math.round(answeredMs - orderedMs),
    };
    return { ...outcome, probe: report };
  } finally {
    await probe.stop();
  }
}

async function move(order: MoveOrder, facts: OrderFacts, settings: Settings): Promise<OrderOutcome> {
  const { kind, timeout, steering } = settings;
  const place = order.first === 'demote' ? 'elsewhere' : 'here';
  const task = { order, vips: vipsOf(facts, [kind]), place, cannot: CANNOT } as const;
  return await placeAndAwait(task, settings, async (tookMs) => {
    // This order must not block the operator's next command.
    await within(timeout, async () => !(await isInEffect(steering, order.id)));
    if (tookMs !== undefined) return { outcome: 'done', notes: [], tookMs };
    const missing = place === 'elsewhere' ? 'No node took the VIP' : 'This node could not take the VIP';
    const notes = [`${missing} within ${timeout / 1_000} s. The order has expired.`];
    return { outcome: 'not-done', notes };
  });
}

async function holderOf(vip: string, { group }: OrderFacts): Promise<string> {
  const { name, text } = await findHolder(vip, group);
  return name ?? text ?? 'no node that answers';
}

/** When the first probe that started at `sinceMs` or later was answered; null if none was. */
function firstAnswerMs(attempts: readonly Attempt[], sinceMs: number): number | null {
  const answersMs = attempts.flatMap(({ startedMs, endedMs, failure }) =>
    failure === null && startedMs >= sinceMs ? endedMs : [],
  );
  return answersMs.length === 0 ? null : Math.min(...answersMs);
}
