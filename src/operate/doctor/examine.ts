import type { CommandContext } from '../../cli/run-command.ts';
import type { HostFiles } from '../../engine/examine/host-files.ts';
import { createPrograms } from '../../engine/examine/run-program.ts';
import { runLeanCommand } from '../../engine/system/process/run-lean-command.ts';
import { stopOnSignals } from '../../engine/system/process/stop-signals.ts';
import { asInstalled } from './as-installed.ts';
import { deployedHere } from './deployed-here.ts';
import type { DoctorCommandSettings } from './doctor-settings.ts';
import type { DoctorContext } from './look/context.ts';
import { deployedAmong, type Product, podsAmong } from './look/product.ts';
import { createReadings } from './look/readings.ts';
import { checksHere, type PlacedCheck } from './registry.ts';
import { type DoctorReport, reportOf } from './report.ts';
import { runChecks } from './run-checks.ts';

const LONGEST_CLEAN_UP_MS = 1_000;
/** The share of a check's time that a question may take. The rest is for reporting that there was no answer. */
const ANSWER_SHARE = 0.6;

/** Runs the chosen checks. When stopped, it reports what was found so far and leaves no nftables table behind. */
export async function examine(
  typed: DoctorCommandSettings,
  files: HostFiles,
  { settingsFile, readSettings }: Pick<CommandContext, 'settingsFile' | 'readSettings'>,
  products: readonly Product[],
  checks: readonly PlacedCheck[],
): Promise<DoctorReport> {
  const start = performance.now();
  const controller = new AbortController();
  const signal = AbortSignal.any([controller.signal, stopOnSignals(() => undefined)]);
  const { pages, outdated, kubeconfig } = await asInstalled(
    files,
    settingsFile.kind === 'read' ? settingsFile.file : undefined,
    podsAmong(products),
    readSettings,
  );
  const deployed = await deployedHere(files, deployedAmong(products), readSettings);
  const settings = {
    ...typed,
    pages,
    outdated,
    deployed,
    kubeconfig: typed.kubeconfig ?? kubeconfig,
  };
  const answerTimeoutMs = settings.timeout * ANSWER_SHARE;
  const programs = createPrograms(runLeanCommand, settings.timeout);
  const all = { ...settings, settingsFile };
  const context: DoctorContext = {
    settings: all,
    files,
    run: programs.run,
    signal,
    answerTimeoutMs,
    readings: createReadings(all, files, products, { signal, answerTimeoutMs }),
  };
  const chosen =
    settings.only === undefined
      ? checksHere(checks, deployed, await context.readings.isNodeSeen())
      : checks.filter(({ id }) => settings.only?.includes(id));
  const results = await runChecks(chosen, context, { timeoutMs: settings.timeout, signal });
  controller.abort();
  await programs.idle(LONGEST_CLEAN_UP_MS);
  return reportOf(results, performance.now() - start);
}
