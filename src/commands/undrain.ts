import { rm } from 'node:fs/promises';
import { readCommandLine } from '../cli/command-line.ts';
import { messageOf } from '../engine/system/errors.ts';
import type { VipKind } from '../keepalived/vip-kind.ts';
import { askMonitor, factsOf, type MonitorReading } from '../vip/steering/gather-facts.ts';
import { within } from '../vip/steering/give-order.ts';
import { newOrderId, readOrderFile, removeOrder, replaceOrder } from '../vip/steering/order-file.ts';
import { printReport, whereAre } from '../vip/steering/print-report.ts';
import type { SteeringReport } from '../vip/steering/steering-report.ts';
import { undrainCommand, undrainSettings } from '../vip/steering/steering-settings.ts';
import type { DrainOrder } from '../vip/steering/vrrp-steering.ts';

/** Without a file notification, the monitor reads the file every few seconds. */
const BELIEVED_WITHIN_MS = 20_000;

type Settings = ReturnType<typeof undrainSettings>;
type Outcome = Pick<SteeringReport, 'outcome' | 'notes'>;

/** `hawser undrain`. It removes the order even if no monitor answers: the next monitor will not find it. */
export async function run(argv: readonly string[], env: NodeJS.ProcessEnv): Promise<number> {
  const line = readCommandLine(undrainCommand, argv, env);
  if (line.kind === 'help') {
    process.stdout.write(line.text);
    return 0;
  }
  const settings = undrainSettings(line.values);
  const done = await takeAway(settings);
  const look = await askMonitor(settings);
  const report = { v: 1, command: 'undrain', tookMs: null } as const;
  if (look.kind === 'silent') {
    const notes = [...done.notes, look.message];
    return printReport({ ...report, node: '', vips: [], outcome: 'unknown', notes }, settings.json);
  }
  const facts = await factsOf(look.status, settings);
  const kinds = settings.kind ?? facts.vips.map(({ kind }) => kind);
  const doubt = done.outcome === 'done' ? await whyNotBelieved(kinds, settings) : undefined;
  const outcome = doubt === undefined ? done.outcome : 'not-done';
  const notes = doubt === undefined ? done.notes : [...done.notes, doubt];
  const vips = await whereAre(kinds, facts, look.status.group);
  return printReport({ ...report, node: facts.self, outcome, notes, vips }, settings.json);
}

async function takeAway(settings: Settings): Promise<Outcome> {
  const path = settings.steering;
  const file = await readOrderFile(path);
  if (file.kind === 'none') return { outcome: 'done', notes: ['This node is not drained.'] };
  if (file.kind === 'unusable')
    return await attempt(path, rm(path, { recursive: true }), `${file.message}: it is taken away`);
  const { order } = file;
  if (order.kind !== 'drain')
    return {
      outcome: 'refused',
      notes: ['Cannot undrain: this node is not drained, it moves a VIP'],
    };
  const work = shrink(path, order, settings.kind ?? order.vips);
  return await attempt(path, work, `This node is not drained any more (it was by ${order.by}).`);
}

async function attempt(path: string, work: Promise<void>, note: string): Promise<Outcome> {
  try {
    await work;
    return { outcome: 'done', notes: [note] };
  } catch (error) {
    const message = `Cannot undrain: ${messageOf(error)}, expected to be able to write "${path}"`;
    return { outcome: 'refused', notes: [message] };
  }
}

async function shrink(path: string, order: DrainOrder, kinds: readonly VipKind[]): Promise<void> {
  const left = order.vips.filter((kind) => !kinds.includes(kind));
  if (left.length === 0) await removeOrder(path, order.id);
  else await replaceOrder(path, order.id, { ...order, id: newOrderId(), vips: left });
}

/** Undefined once the monitor follows the change. */
async function whyNotBelieved(kinds: readonly VipKind[], settings: Settings): Promise<string | undefined> {
  const isFree = ({ status }: Extract<MonitorReading, { kind: 'answered' }>): boolean =>
    status.priorities.every(({ kind, steered }) => !kinds.includes(kind) || steered === null);
  let again: DrainOrder | undefined;
  const isOver = await within(BELIEVED_WITHIN_MS, async () => {
    again = await drainedAgain(kinds, settings.steering);
    if (again !== undefined) return true;
    const look = await askMonitor(settings);
    return look.kind === 'answered' && isFree(look);
  });
  if (again !== undefined) return `It was drained again in the meantime by ${again.by}: that order stands.`;
  return isOver
    ? undefined
    : `the monitor has not believed it within ${BELIEVED_WITHIN_MS} ms: does it read "${settings.steering}"?`;
}

/** The rest of the order has none of these kinds. An order that has one is a later order. */
async function drainedAgain(kinds: readonly VipKind[], path: string): Promise<DrainOrder | undefined> {
  const file = await readOrderFile(path);
  if (file.kind !== 'order' || file.order.kind !== 'drain') return undefined;
  return file.order.vips.some((kind) => kinds.includes(kind)) ? file.order : undefined;
}
