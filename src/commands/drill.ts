import { readCommandLine } from '../cli/command-line.ts';
import { structuredWriter } from '../cli/structured-text.ts';
import type { KeepalivedMonitorStatus } from '../vip/keepalived-monitor-status.ts';
import { type DrillReport, drillExitCode, drillLines } from '../vip/steering/drill-report.ts';
import { type DrillResult, type DrillRun, runDrill } from '../vip/steering/drill-run.ts';
import { askMonitor, factsOf } from '../vip/steering/gather-facts.ts';
import { asked } from '../vip/steering/give-order.ts';
import { orderInTheWay } from '../vip/steering/order-file.ts';
import { type MovePlan, planMove, type SteeringFacts } from '../vip/steering/steering-plan.ts';
import { drillCommand, drillSettings } from '../vip/steering/steering-settings.ts';
import { findHolder, holderText, type VipHolder } from '../vip/steering/vip-holder.ts';
import type { MoveOrder } from '../vip/steering/vrrp-steering.ts';

const EVERY_MS = 20;
const ATTEMPT_TIMEOUT_MS = 1_000;

type Settings = ReturnType<typeof drillSettings>;
type Move = Extract<MovePlan, { kind: 'move' }>;

export async function run(argv: readonly string[], env: NodeJS.ProcessEnv): Promise<number> {
  const line = readCommandLine(drillCommand, argv, env);
  if (line.kind === 'help') {
    process.stdout.write(line.text);
    return 0;
  }
  const settings = drillSettings(line.values);
  const report = await drill(settings, env);
  const exitCode = drillExitCode(report);
  if (settings.json) process.stdout.write(`${(await structuredWriter(settings.json))(report)}\n`);
  else (exitCode === 0 ? process.stdout : process.stderr).write(`${drillLines(report).join('\n')}\n`);
  return exitCode;
}

async function drill(settings: Settings, env: NodeJS.ProcessEnv): Promise<DrillReport> {
  const look = await askMonitor(settings);
  if (look.kind === 'silent') return { ...nothingYet('', null), outcome: 'unknown', notes: [look.message] };
  const { group } = look.status;
  const facts = await factsOf(look.status, settings);
  const vip = facts.vips.find(({ kind }) => kind === 'api')?.vips[0];
  const holder = vip === undefined ? undefined : await findHolder(vip, group);
  const plan = await planOf(facts, holder, settings);
  const begun = nothingYet(facts.self, vip ?? null);
  if (plan.kind !== 'move' || vip === undefined) {
    const reasons = plan.kind === 'refused' ? plan.reasons : plan.kind === 'nothing' ? [plan.why] : [];
    return { ...begun, outcome: 'refused', notes: reasons.map(refusal) };
  }
  const planned = { ...begun, plan: shownPlan(plan, settings) };
  if (settings.dryRun) return { ...planned, outcome: 'would-move', notes: [intention(plan, settings)] };
  if (!settings.json) process.stderr.write(`${intention(plan, settings)}\n`);
  const interrupt = interruptible();
  const order = orderOf(plan, settings, env);
  const result = await runDrill(runOf(order, vip, group, interrupt, settings), settings);
  const wantsBack = order.backAtMs !== undefined || interrupt.aborted;
  return { ...planned, interrupted: interrupt.aborted, ...resultOf(result, wantsBack) };
}

function nothingYet(node: string, vip: string | null): Omit<DrillReport, 'outcome' | 'notes'> {
  const at = new Date().toISOString();
  return { v: 1, at, node, vip, interrupted: false, plan: null, there: null, back: null, client: null };
}

async function planOf(
  facts: SteeringFacts,
  holder: VipHolder | undefined,
  { to, stay, steering }: Settings,
): Promise<MovePlan> {
  const name = holder?.kind === 'node' ? holder.name : undefined;
  const plan = planMove(facts, { kind: 'api', to, back: !stay, holder: name });
  const inTheWay = plan.kind === 'move' ? await orderInTheWay(steering) : undefined;
  return inTheWay === undefined ? plan : { kind: 'refused', reasons: [inTheWay] };
}

function refusal(reason: string): string {
  return `Cannot drill: ${reason}`;
}

function shownPlan({ first, to, why }: Move, { stay, away }: Settings): DrillReport['plan'] {
  return { step: first, to: to ?? null, why, awayMs: stay ? null : away };
}

function intention({ to, why }: Move, { stay, away }: Settings): string {
  const then = stay ? 'stays there' : `comes back ${away / 1_000} s after the order`;
  return `The VIP goes to ${to ?? 'another node'} (${why}), and ${then}.`;
}

function orderOf(
  { first }: Move,
  { reason, stay, away, timeout }: Settings,
  env: NodeJS.ProcessEnv,
): MoveOrder {
  const whose = asked(reason, env);
  const backAtMs = stay ? undefined : whose.atMs + away;
  const untilMs = (backAtMs ?? whose.atMs) + timeout;
  return { kind: 'move', purpose: 'drill', ...whose, vip: 'api', first, backAtMs, untilMs };
}

function runOf(
  order: MoveOrder,
  vip: string,
  group: KeepalivedMonitorStatus['group'],
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
    return { outcome, notes: [refusal(message)], there: null, back: null, client: null };
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
