import { setTimeout as pause } from 'node:timers/promises';
import type { CommandContext } from '../../cli/run-command.ts';
import type { Finding } from '../../engine/examine/check.ts';
import type { HostFiles } from '../../engine/examine/host-files.ts';
import { programRunner } from '../../engine/examine/run-program.ts';
import { messageOf } from '../../engine/system/errors.ts';
import { runLeanCommand } from '../../engine/system/process/run-lean-command.ts';
import { stopOnSignals } from '../../engine/system/process/stop-signals.ts';
import type { DoctorCheck, DoctorContext } from './context.ts';
import { asInstalled, deployedHere } from './daemon-settings.ts';
import type { DoctorCommandSettings } from './doctor-settings.ts';
import type { Product } from './product.ts';
import { createReadings } from './readings.ts';
import { checksHere, type PlacedCheck } from './registry.ts';
import { type DoctorReport, reportOf } from './report-lines.ts';

export interface CheckedFinding {
  readonly check: DoctorCheck;
  readonly finding: Finding;
}

/**
 * Runs all checks at once, each for at most `timeoutMs` plus its time for listening. Never rejects, and always ends within
 * that time or when `node.signal` aborts. A check that throws or exceeds its time is reported as "cannot tell", with the reason.
 */
export async function runChecks(
  checks: readonly DoctorCheck[],
  node: Omit<DoctorContext, 'beforeExit'>,
  timeoutMs: number,
): Promise<readonly CheckedFinding[]> {
  const unfinished: Promise<unknown>[] = [];
  const context: DoctorContext = {
    ...node,
    beforeExit: (work) => {
      unfinished.push(work);
      return work;
    },
  };
  const results = await Promise.all(
    checks.map(async (check) => ({ check, finding: await runCheck(check, context, timeoutMs) })),
  );
  await Promise.race([Promise.allSettled(unfinished), pause(CLEAN_UP_LIMIT_MS, undefined, { ref: false })]);
  return results;
}

/** A stopped check cleans up within this time. Its programs have limits of their own. */
const CLEAN_UP_LIMIT_MS = 10_000;

async function runCheck(check: DoctorCheck, context: DoctorContext, timeoutMs: number): Promise<Finding> {
  const totalMs = timeoutMs + (check.listenMs ?? 0);
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<Finding>((resolve) => {
    timer = setTimeout(() => resolve(cannotTell(`no answer within ${totalMs} ms`)), totalMs);
    context.signal.addEventListener('abort', () => resolve(cannotTell('it was stopped')), { once: true });
  });
  try {
    return await Promise.race([check.run(context), late]);
  } catch (error) {
    return cannotTell(messageOf(error));
  } finally {
    clearTimeout(timer);
  }
}

function cannotTell(message: string): Finding {
  return { kind: 'unknown', message, remedy: 'try again; give it more time with --timeout 10s' };
}

/** The share of a check's time that one request may take. The rest is for reporting that there was no answer. */
const ANSWER_SHARE = 0.6;

/** Runs the selected checks. When stopped, it reports the findings so far and leaves no nftables table behind. */
export async function examine(
  typed: DoctorCommandSettings,
  files: HostFiles,
  { settingsFile, readSettings }: Pick<CommandContext, 'settingsFile' | 'readSettings'>,
  products: readonly Product[],
  checks: readonly PlacedCheck[],
): Promise<DoctorReport> {
  const start = performance.now();
  const signal = stopOnSignals(() => undefined);
  const file = settingsFile.kind === 'read' ? settingsFile.file : undefined;
  const homes = products.map(({ home }) => home);
  const pods = homes.flatMap((home) => (home.kind === 'node' ? home.pods : []));
  const daemons = homes.flatMap((home) => (home.kind === 'pod' ? home.daemon : []));
  const installed = await asInstalled(files, file, pods, readSettings);
  const deployed = await deployedHere(files, daemons, readSettings);
  const kubeconfig = typed.kubeconfig ?? installed.kubeconfig;
  const settings = { ...typed, ...installed, kubeconfig, deployed, settingsFile };
  const { timeout: timeoutMs, only } = settings;
  const limits = { signal, answerTimeoutMs: timeoutMs * ANSWER_SHARE };
  const readings = createReadings(settings, files, products, limits);
  const run = programRunner(runLeanCommand, timeoutMs);
  const context = { settings, files, run, readings, ...limits };
  const chosen =
    only === undefined
      ? checksHere(checks, deployed, await readings.isNodeSeen())
      : checks.filter(({ id }) => only.includes(id));
  const results = await runChecks(chosen, context, timeoutMs);
  return reportOf(results, performance.now() - start);
}
