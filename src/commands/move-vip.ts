import { readCommandLine } from '../cli/command-line.ts';
import { askMonitor, factsOf } from '../vip/steering/gather-facts.ts';
import { asked, awaitPlace, giveOrder, within } from '../vip/steering/give-order.ts';
import { isThere, orderInTheWay } from '../vip/steering/order-file.ts';
import { printReport, whereAre } from '../vip/steering/print-report.ts';
import { type MovePlan, planMove, type SteeringFacts } from '../vip/steering/steering-plan.ts';
import type { SteeringReport } from '../vip/steering/steering-report.ts';
import { moveVipCommand, moveVipSettings } from '../vip/steering/steering-settings.ts';
import { findHolder } from '../vip/steering/vip-holder.ts';
import type { MoveOrder } from '../vip/steering/vrrp-steering.ts';

type Settings = ReturnType<typeof moveVipSettings>;
type Outcome = Pick<SteeringReport, 'outcome' | 'notes' | 'tookMs'>;
type Move = Extract<MovePlan, { kind: 'move' }>;

export async function run(argv: readonly string[], env: NodeJS.ProcessEnv): Promise<number> {
  const line = readCommandLine(moveVipCommand, argv, env);
  if (line.kind === 'help') {
    process.stdout.write(line.text);
    return 0;
  }
  const settings = moveVipSettings(line.values);
  const report = { v: 1, command: 'move-vip' } as const;
  const look = await askMonitor(settings);
  if (look.kind === 'silent') {
    const nothing = { node: '', vips: [], tookMs: null };
    return printReport({ ...report, ...nothing, outcome: 'unknown', notes: [look.message] }, settings.json);
  }
  const { group } = look.status;
  const facts = await factsOf(look.status, settings);
  const [vip = ''] = vipsOf(facts, settings);
  const found = vip === '' ? undefined : await findHolder(vip, group);
  const holder = found?.kind === 'node' ? found.name : undefined;
  const plan = planMove(facts, { kind: settings.kind, to: settings.to, back: false, holder });
  const outcome = await carryOut(plan, facts, settings, env);
  const vips = await whereAre([settings.kind], facts, group);
  return printReport({ ...report, node: facts.self, ...outcome, vips }, settings.json);
}

function vipsOf({ vips }: SteeringFacts, { kind }: Settings): readonly string[] {
  return vips.find((each) => each.kind === kind)?.vips ?? [];
}

async function carryOut(
  plan: MovePlan,
  facts: SteeringFacts,
  settings: Settings,
  env: NodeJS.ProcessEnv,
): Promise<Outcome> {
  if (plan.kind === 'nothing') return { outcome: 'done', notes: [plan.why], tookMs: null };
  if (plan.kind === 'refused') return refused(plan.reasons);
  const inTheWay = await orderInTheWay(settings.steering);
  if (inTheWay !== undefined) return refused([inTheWay]);
  const where = `to ${plan.to ?? 'another node'}: ${plan.why}`;
  if (settings.dryRun) return { outcome: 'would-do', notes: [`It would go ${where}.`], tookMs: null };
  return await move(plan, vipsOf(facts, settings), settings, env);
}

function refused(reasons: readonly string[]): Outcome {
  return {
    outcome: 'refused',
    notes: reasons.map((reason) => `Cannot move the VIP: ${reason}`),
    tookMs: null,
  };
}

async function move(
  { first }: Move,
  vips: readonly string[],
  settings: Settings,
  env: NodeJS.ProcessEnv,
): Promise<Outcome> {
  const whose = asked(settings.reason, env);
  const order: MoveOrder = {
    ...{ kind: 'move', purpose: 'move-vip', ...whose, vip: settings.kind, first },
    ...{ backAtMs: undefined, untilMs: whose.atMs + settings.timeout },
  };
  const watch = new AbortController();
  const place = first === 'yield' ? 'elsewhere' : 'here';
  const arrival = awaitPlace(vips, place, settings.timeout, watch.signal);
  const given = await giveOrder(order, undefined, settings, (_, steered) => steered !== null);
  if (given.kind !== 'taken') watch.abort();
  if (given.kind === 'refused') return refused([given.message]);
  if (given.kind === 'not-taken')
    return { outcome: 'unknown', notes: [`Cannot move the VIP: ${given.message}`], tookMs: null };
  const tookMs = await arrival;
  // A following command must not find this order.
  await within(settings.timeout, async () => !(await isThere(settings.steering, order.id)));
  if (tookMs !== undefined)
    return { outcome: 'done', notes: [`The VIP has moved, ${tookMs} ms after the order.`], tookMs };
  const missing = first === 'yield' ? 'no node has taken the VIP' : 'this node could not take the VIP';
  return {
    outcome: 'not-done',
    notes: [`${missing} within ${settings.timeout} ms; the order has run out`],
    tookMs: null,
  };
}
