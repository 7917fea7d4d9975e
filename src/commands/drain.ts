import { readCommandLine } from '../cli/command-line.ts';
import type { VipKind } from '../keepalived/vip-kind.ts';
import { askMonitor, factsOf } from '../vip/steering/gather-facts.ts';
import { asked, awaitPlace, giveOrder, untilOvertaken } from '../vip/steering/give-order.ts';
import { type OrderFile, readOrderFile } from '../vip/steering/order-file.ts';
import { printReport, whereAre } from '../vip/steering/print-report.ts';
import { drainObjections, type SteeringFacts } from '../vip/steering/steering-plan.ts';
import type { SteeringReport } from '../vip/steering/steering-report.ts';
import { drainCommand, drainSettings } from '../vip/steering/steering-settings.ts';
import { type DrainOrder, type SteeringOrder, steeringText } from '../vip/steering/vrrp-steering.ts';

type Settings = ReturnType<typeof drainSettings>;
type Outcome = Pick<SteeringReport, 'outcome' | 'notes' | 'tookMs'>;

export async function run(argv: readonly string[], env: NodeJS.ProcessEnv): Promise<number> {
  const line = readCommandLine(drainCommand, argv, env);
  if (line.kind === 'help') {
    process.stdout.write(line.text);
    return 0;
  }
  const settings = drainSettings(line.values);
  const report = { v: 1, command: 'drain' } as const;
  const look = await askMonitor(settings);
  if (look.kind === 'silent') {
    const nothing = { node: '', vips: [], tookMs: null };
    return printReport({ ...report, ...nothing, outcome: 'unknown', notes: [look.message] }, settings.json);
  }
  const facts = await factsOf(look.status, settings);
  const kinds = settings.kind ?? facts.vips.map(({ kind }) => kind);
  const outcome = await drain(kinds, facts, settings, env);
  const vips = await whereAre(kinds, facts, look.status.group);
  return printReport({ ...report, node: facts.self, ...outcome, vips }, settings.json);
}

async function drain(
  kinds: readonly VipKind[],
  facts: SteeringFacts,
  settings: Settings,
  env: NodeJS.ProcessEnv,
): Promise<Outcome> {
  const file = await readOrderFile(settings.steering);
  const reasons = [...drainObjections(facts, kinds, settings.force), ...inTheWay(file, settings.force)];
  if (kinds.length === 0) reasons.push('this node has no VIP to drain');
  if (reasons.length > 0) return refused(facts, reasons);
  const before = file.kind === 'order' && file.order.kind !== 'report' ? file.order : undefined;
  const vips = facts.vips.filter(({ kind }) => kinds.includes(kind)).flatMap((each) => each.vips);
  const watch = new AbortController();
  const departure = awaitPlace(vips, 'elsewhere', settings.timeout, watch.signal);
  if (before?.kind === 'drain' && kinds.every((kind) => before.vips.includes(kind)))
    return await outcomeOf(
      facts.self,
      { id: before.id, note: `${facts.self} is ${textOf(before, kinds)} already` },
      departure,
      settings,
    );
  const order = drainOf(kinds, before, asked(settings.reason, env));
  const given = await giveOrder(
    order,
    before,
    settings,
    (kind, steered) => steered === textOf(order, [kind]),
  );
  if (given.kind !== 'taken') watch.abort();
  if (given.kind === 'refused') return refused(facts, [given.message]);
  if (given.kind === 'not-taken')
    return { outcome: 'unknown', notes: [`Cannot drain ${facts.self}: ${given.message}`], tookMs: null };
  if (given.kind === 'overtaken') return notDrained(facts.self, given.message);
  const note = `${facts.self} is drained, until: hawser undrain`;
  const outcome = await outcomeOf(facts.self, { id: order.id, note }, departure, settings);
  watch.abort();
  return outcome;
}

function refused({ self }: SteeringFacts, reasons: readonly string[]): Outcome {
  return {
    outcome: 'refused',
    notes: reasons.map((reason) => `Cannot drain ${self}: ${reason}`),
    tookMs: null,
  };
}

function inTheWay(file: OrderFile, force: boolean): string[] {
  if (file.kind === 'unusable') return [`${file.message} (hawser undrain takes it away)`];
  if (file.kind === 'none' || file.order.kind !== 'move' || force) return [];
  const { purpose, by } = file.order;
  return [`a ${purpose} by ${by} is under way, expected it to be over (or --force)`];
}

/** A VIP that is already drained stays drained. */
function drainOf(
  kinds: readonly VipKind[],
  before: SteeringOrder | undefined,
  whose: ReturnType<typeof asked>,
): DrainOrder {
  const more = before?.kind === 'drain' ? before.vips : [];
  return { kind: 'drain', ...whose, vips: [...new Set([...more, ...kinds])] };
}

function textOf(order: DrainOrder, kinds: readonly VipKind[]): string | undefined {
  const [kind = 'api'] = kinds;
  return steeringText({ kind: 'drained' }, order, kind);
}

function notDrained(self: string, message: string): Outcome {
  return { outcome: 'not-done', notes: [`${self} is not drained by this order: ${message}`], tookMs: null };
}

/** Waits for the VIPs to leave, as long as the order is in force. */
async function outcomeOf(
  self: string,
  { id, note }: { readonly id: string; readonly note: string },
  departure: Promise<number | undefined>,
  { timeout, steering }: Settings,
): Promise<Outcome> {
  const waiting = new AbortController();
  const overtaken = untilOvertaken(steering, id, waiting.signal).then((message) => ({ message }));
  const first = await Promise.race([departure.then((tookMs) => ({ tookMs })), overtaken]);
  waiting.abort();
  if ('message' in first) return notDrained(self, first.message);
  if (first.tookMs !== undefined) return { outcome: 'done', notes: [note], tookMs: first.tookMs };
  const still = `not every VIP has been taken within ${timeout} ms: the rest leaves once another node can serve`;
  return { outcome: 'not-done', notes: [note, still], tookMs: null };
}
