import type { DrillReport } from './drill-report.ts';
import { type DrillResult, type DrillRun, runDrill } from './drill-run.ts';
import { moveOrder } from './give-order.ts';
import { planNow, readSituation, type Situation, vipsOf } from './steer.ts';
import type { Move } from './steering-plan.ts';
import type { DrillSettings } from './steering-settings.ts';
import { findHolder, holderText } from './vip-holder.ts';
import type { MoveOrder } from './vrrp-steering.ts';

const EVERY_MS = 20;
const ATTEMPT_TIMEOUT_MS = 1_000;
const CANNOT = 'Cannot drill';

type Settings = DrillSettings;

/** Moves the API VIP away and back. `announce` is told what is to come, before it begins. */
export async function drill(
  settings: Settings,
  env: NodeJS.ProcessEnv,
  announce: (intention: string) => void,
): Promise<DrillReport> {
  const { to, stay, away } = settings;
  const situation = await readSituation(settings);
  if (typeof situation === 'string')
    return { ...nothingYet('', null), outcome: 'unknown', notes: [situation] };
  const [vip] = vipsOf(situation.facts, ['api']);
  const plan = await planNow(situation, { kind: 'api', to, back: !stay }, settings.steering);
  const begun = nothingYet(situation.facts.self, vip ?? null);
  if (plan.kind !== 'move' || vip === undefined) {
    const reasons = plan.kind === 'refused' ? plan.reasons : plan.kind === 'nothing' ? [plan.why] : [];
    return { ...begun, outcome: 'refused', notes: reasons.map((reason) => `${CANNOT}: ${reason}`) };
  }
  const planned = { ...begun, plan: shownPlan(plan, settings) };
  const intention = intentionOf(plan, settings);
  if (settings.dryRun) return { ...planned, outcome: 'would-move', notes: [intention] };
  announce(intention);
  const interrupt = interruptible();
  const { first } = plan;
  const backAfterMs = stay ? undefined : away;
  const order = moveOrder({ purpose: 'drill', vip: 'api', first, backAfterMs }, settings, env);
  const result = await runDrill(runOf(order, vip, situation, interrupt, settings), settings);
  const wantsBack = order.backAtMs !== undefined || interrupt.aborted;
  return { ...planned, interrupted: interrupt.aborted, ...resultOf(result, wantsBack) };
}

function nothingYet(node: string, vip: string | null): Omit<DrillReport, 'outcome' | 'notes'> {
  const at = new Date().toISOString();
  return { v: 1, at, node, vip, interrupted: false, plan: null, there: null, back: null, client: null };
}

function shownPlan({ first, to, why }: Move, { stay, away }: Settings): DrillReport['plan'] {
  return { step: first, to: to ?? null, why, awayMs: stay ? null : away };
}

function intentionOf({ to, why }: Move, { stay, away }: Settings): string {
  const then = stay ? 'stays there' : `comes back ${away / 1_000} s after the order`;
  return `The VIP goes to ${to ?? 'another node'} (${why}), and ${then}.`;
}

function runOf(
  order: MoveOrder,
  vip: string,
  { group }: Situation,
  interrupt: AbortSignal,
  { apiPort, probe }: Settings,
): DrillRun {
  return {
    ...{ order, vip, interrupt },
    probe: { port: apiPort, how: probe, everyMs: EVERY_MS, timeoutMs: ATTEMPT_TIMEOUT_MS },
    holder: async () => {
      const found = await findHolder(vip, group);
      return found.kind === 'free' ? null : holderText(found);
    },
  };
}

function resultOf(
  result: DrillResult,
  wantsBack: boolean,
): Pick<DrillReport, 'outcome' | 'notes' | 'there' | 'back' | 'client'> {
  if (result.kind !== 'run') {
    const { kind: outcome, message } = result;
    return { outcome, notes: [`${CANNOT}: ${message}`], there: null, back: null, client: null };
  }
  const { there, back, client } = result;
  const outcome = back !== null ? 'moved-and-back' : wantsBack ? 'not-back' : 'moved';
  return { outcome: there === null ? 'not-moved' : outcome, notes: [], there, back, client };
}

/** The first Ctrl-C moves the VIP back. The second ends this command; the monitor completes the order. */
function interruptible(): AbortSignal {
  const controller = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.on(signal, () => {
      if (controller.signal.aborted) process.exit(1);
      process.stderr.write('The VIP goes back now; once more leaves that to the monitor.\n');
      controller.abort();
    });
  return controller.signal;
}
