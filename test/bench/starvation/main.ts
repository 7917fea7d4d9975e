/** A program: leaves whole groups of nodes alone on a starved processor, and counts what they do to each other. See `usage`. */
import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { messageOf } from '../../../src/engine/system/errors.ts';
import { runCommand } from '../../../src/engine/system/process/run-command.ts';
import { monotonicMs } from '../../../src/engine/system/time/monotonic-clock.ts';
import { ensureBuilt } from '../../helpers/supervisor-build.ts';
import { readOrExplain } from '../options.ts';
import { describeMachine, formatMachine, type Machine } from '../reload/machine.ts';
import { type Arm, type ArmPlan, nameOf, niceness, openArm, shares } from './arm.ts';
import { startHogs } from './hogs.ts';
import { type Lag, startLagProbe } from './lag.ts';
import { readOptions, type StarvationOptions, usage } from './options.ts';
import { type ArmResult, formatArms, formatLags, formatVerdict } from './table.ts';
import { tallyOf } from './tally.ts';

const REPORT_EVERY_MS = 60_000;

/** How a process of each kind fares that only waits. */
const probes = {
  realtime: ['chrt', '--rr', '20'],
  equal: ['nice', '-n', String(niceness.equal)],
  fair: ['nice', '-n', String(niceness.fair)],
  poor: ['nice', '-n', String(niceness.poor)],
};

/** Everything that is started from here on shares this one processor; the others stay free for other processes. */
async function pinToCore(core: number): Promise<void> {
  const argv = ['taskset', '--all-tasks', '--cpu-list', '--pid', String(core), String(process.pid)] as const;
  const { exitCode, stderr } = await runCommand(argv, { timeoutMs: 5_000 });
  if (exitCode !== 0) throw new Error(`Cannot use processor ${core} only: ${stderr.trim()}`);
}

/** Whole nodes take so much of the one processor that many groups of them would starve each other. */
function plansOf({ intervalsMs }: StarvationOptions): readonly ArmPlan[] {
  const lean = intervalsMs.flatMap((advertMs) =>
    shares.map((share): ArmPlan => ({ advertMs, share, whole: false })),
  );
  return [...lean, ...shares.slice(0, 2).map((share): ArmPlan => ({ advertMs: 20, share, whole: true }))];
}

async function run(options: StarvationOptions, signal: AbortSignal): Promise<void> {
  ensureBuilt();
  const machine = await describeMachine();
  console.log(formatMachine(machine));
  await pinToCore(options.core);
  await using stack = new AsyncDisposableStack();
  const arms: Arm[] = [];
  for (const plan of plansOf(options)) {
    process.stderr.write(`opening ${nameOf(plan)}\n`);
    arms.push(stack.use(await openArm(plan)));
    signal.throwIfAborted();
  }
  const { results, lags } = await starve(arms, machine, options, signal);
  console.log(`${options.hogs} busy loops on one processor for ${options.minutes} minutes`);
  console.log(`${formatLags(lags)}\n\n${formatArms(results)}\n\n${formatVerdict(results)}`);
  save(options, { machine, lags }, results);
  const { logDir } = options;
  if (logDir !== undefined) for (const arm of arms) arm.keepLogs(logDir);
}

async function starve(
  arms: readonly Arm[],
  machine: Machine,
  options: StarvationOptions,
  signal: AbortSignal,
): Promise<{ readonly results: readonly ArmResult[]; readonly lags: Readonly<Record<string, Lag>> }> {
  await using running = new AsyncDisposableStack();
  running.use(startHogs(options.hogs));
  const started = Object.entries(probes).map(
    ([who, prefix]) => [who, running.use(startLagProbe(prefix))] as const,
  );
  const fromMs = monotonicMs();
  const begins = new Map(arms.flatMap(({ logs }) => logs.map((log) => [log, statSync(log).size] as const)));
  const linesOf = ({ logs }: Arm): readonly string[] =>
    logs.flatMap((log) =>
      readFileSync(log)
        .subarray(begins.get(log) ?? 0)
        .toString()
        .split('\n'),
    );
  const look = (): readonly ArmResult[] => {
    const span = { fromMs, toMs: monotonicMs() };
    return arms.map((arm) => ({ plan: arm.plan, tally: tallyOf(arm.bed.events(), linesOf(arm), span) }));
  };
  const endMs = fromMs + options.minutes * 60_000;
  while (monotonicMs() < endMs) {
    await delay(Math.min(REPORT_EVERY_MS, endMs - monotonicMs()), undefined, { signal });
    const results = look();
    process.stderr.write(`${Math.round((monotonicMs() - fromMs) / 60_000)} min\n${formatArms(results)}\n`);
    save(options, { machine }, results);
  }
  const results = look();
  const lags: Record<string, Lag> = {};
  for (const [who, probe] of started) lags[who] = await probe.finish();
  return { results, lags };
}

function save(options: StarvationOptions, figures: object, results: readonly ArmResult[]): void {
  if (options.json === undefined) return;
  const { minutes, hogs } = options;
  const moves = Object.fromEntries(results.map(({ plan, tally }) => [nameOf(plan), tally.moves]));
  const text = JSON.stringify(
    { minutes, hogs, niceness, moves, results, quick: minutes < 30, ...figures },
    null,
    2,
  );
  writeFileSync(options.json, `${text}\n`);
}

const stop = new AbortController();
for (const name of ['SIGINT', 'SIGTERM'] as const)
  process.on(name, () => (stop.signal.aborted ? process.exit(130) : stop.abort()));
try {
  const options = readOrExplain(usage, () => readOptions(process.argv.slice(2), cpus().length));
  if (options.logDir !== undefined) mkdirSync(options.logDir, { recursive: true });
  await run(options, stop.signal);
} catch (error) {
  process.exitCode = stop.signal.aborted ? 130 : 1;
  console.error(stop.signal.aborted ? 'stopped' : messageOf(error));
}
