import { setTimeout as pause } from 'node:timers/promises';
import { presentAddresses } from '../../engine/system/network/interface-addresses.ts';
import { monotonicMs } from '../../engine/system/time/monotonic-clock.ts';
import { sleep } from '../../engine/system/time/sleep.ts';
import { drillFigures } from './drill-figures.ts';
import type { DrillReport } from './drill-report.ts';
import { giveOrder } from './give-order.ts';
import { isThere, placeOrder, replaceOrder } from './order-file.ts';
import type { SteeringEndpoints } from './steering-settings.ts';
import { type ProbePlan, startVipProbe, type VipProbe } from './vip-probe.ts';
import type { MoveOrder } from './vrrp-steering.ts';

/** How long the VIP has to answer before it is moved. */
const BEFORE_MS = 1_000;
const AFTERWARDS_MS = 1_000;
const LOOK_EVERY_MS = 10;
/** The monitor ends an order at its deadline. This is for a monitor that has died meanwhile. */
const PATIENCE_MS = 10_000;

type Leg = { readonly to: string | null; readonly tookMs: number };

export interface DrillRun {
  readonly order: MoveOrder;
  /** The first VIP is probed; the others are on the same node. */
  readonly vip: string;
  readonly probe: Omit<ProbePlan, 'host'>;
  /** The holder of the VIP now, for the report. */
  readonly holder: () => Promise<string | null>;
  /** Aborts if the VIP has to go back at once. */
  readonly interrupt: AbortSignal;
}

export type DrillResult =
  | { readonly kind: 'refused' | 'unknown'; readonly message: string }
  | {
      readonly kind: 'run';
      readonly there: Leg | null;
      readonly back: Leg | null;
      readonly client: NonNullable<DrillReport['client']>;
    };

/**
 * Gives the order and measures until the order is gone. The findings also go to the monitor, for the journal. It
 * restores nothing itself: the order does.
 */
export async function runDrill(run: DrillRun, places: SteeringEndpoints): Promise<DrillResult> {
  const probe = startVipProbe({ ...run.probe, host: run.vip });
  try {
    await sleep(BEFORE_MS, run.interrupt);
    if (run.interrupt.aborted) return { kind: 'refused', message: 'it was interrupted before it began' };
    if (!probe.attempts().some(({ failure }) => failure === null))
      return {
        kind: 'refused',
        message: `nothing answers at ${run.vip}:${run.probe.port} now`,
      };
    return await measured(run, places, probe);
  } finally {
    await probe.stop();
  }
}

async function measured(run: DrillRun, places: SteeringEndpoints, probe: VipProbe): Promise<DrillResult> {
  const order = { ...run.order, ...timesFromNow(run.order) };
  const fromMs = monotonicMs();
  const watch = new AbortController();
  const legs = watchLegs({ ...run, order }, watch.signal);
  const given = await giveOrder(order, undefined, places);
  if (given.kind !== 'taken') {
    watch.abort();
    return { kind: given.kind === 'refused' ? 'refused' : 'unknown', message: given.message };
  }
  await awaitEnd(order, run.interrupt, places);
  await pause(AFTERWARDS_MS);
  watch.abort();
  const { there, back } = await legs;
  await probe.stop();
  const attempts = probe.attempts().filter(({ startedMs }) => startedMs >= fromMs);
  const { everyMs, timeoutMs, how } = run.probe;
  const figures = drillFigures(attempts, everyMs);
  await placeOrder(places.steering, { kind: 'report', id: order.id, figures }).catch(() => false);
  const client = {
    probe: how,
    everyMs,
    timeoutMs,
    ...figures,
    failures: countOf(attempts),
    lateMs: probe.lateMs(),
  };
  return { kind: 'run', there, back, client };
}

/** The order was made before the VIP was probed, so its times count from now. */
function timesFromNow({
  atMs,
  backAtMs,
  untilMs,
}: MoveOrder): Pick<MoveOrder, 'atMs' | 'backAtMs' | 'untilMs'> {
  const lateMs = Date.now() - atMs;
  const back = backAtMs === undefined ? undefined : backAtMs + lateMs;
  return { atMs: atMs + lateMs, backAtMs: back, untilMs: untilMs + lateMs };
}

/** Resolves once the monitor has removed the order, or should have. */
async function awaitEnd(order: MoveOrder, interrupt: AbortSignal, places: SteeringEndpoints): Promise<void> {
  let isReported = false;
  while (await isThere(places.steering, order.id)) {
    if (interrupt.aborted && !isReported) {
      isReported = true;
      await replaceOrder(places.steering, order.id, { ...order, backAtMs: Date.now() });
    }
    if (Date.now() > order.untilMs + PATIENCE_MS) return;
    await pause(LOOK_EVERY_MS);
  }
}

/** When the VIP left this node and came back, or the reverse if this node claims it. */
async function watchLegs(
  { order, vip, holder, interrupt }: DrillRun,
  signal: AbortSignal,
): Promise<{ readonly there: Leg | null; readonly back: Leg | null }> {
  const isAt = (place: 'there' | 'back'): boolean =>
    presentAddresses().has(vip) === ((order.first === 'claim') === (place === 'there'));
  const fromMs = monotonicMs();
  let backFromMs =
    order.backAtMs === undefined ? Number.POSITIVE_INFINITY : fromMs + order.backAtMs - order.atMs;
  interrupt.addEventListener(
    'abort',
    () => {
      backFromMs = Math.min(backFromMs, monotonicMs());
    },
    { once: true },
  );
  let there: Leg | null = null;
  let back: Leg | null = null;
  while (!signal.aborted && back === null) {
    const nowMs = monotonicMs();
    if (there === null && isAt('there')) there = { tookMs: Math.round(nowMs - fromMs), to: await holder() };
    else if (there !== null && isAt('back'))
      back = { tookMs: Math.max(0, Math.round(nowMs - backFromMs)), to: await holder() };
    await pause(LOOK_EVERY_MS);
  }
  return { there, back };
}

function countOf(attempts: readonly { readonly failure: string | null }[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { failure } of attempts) if (failure !== null) counts[failure] = (counts[failure] ?? 0) + 1;
  return counts;
}
