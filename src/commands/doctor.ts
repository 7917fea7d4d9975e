import { existsSync } from 'node:fs';
import { readCommandLine } from '../cli/command-line.ts';
import { defaultSettingsPath, type SettingsReader } from '../cli/settings-values.ts';
import { structuredWriter } from '../cli/structured-text.ts';
import { runLeanCommand } from '../engine/system/process/run-lean-command.ts';
import { stopOnSignals } from '../engine/system/process/stop-signals.ts';
import { asInstalled } from '../operate/doctor/as-installed.ts';
import type { DoctorContext } from '../operate/doctor/context.ts';
import {
  type DoctorCommandSettings,
  doctorCommand,
  doctorSettings,
  forgivingReader,
  type SettingsFileReading,
} from '../operate/doctor/doctor-settings.ts';
import { type HostFiles, hostFiles } from '../operate/doctor/host-files.ts';
import { createReadings } from '../operate/doctor/readings.ts';
import { checks } from '../operate/doctor/registry.ts';
import { type DoctorReport, exitCodeOf, reportOf } from '../operate/doctor/report.ts';
import { reportLines } from '../operate/doctor/report-lines.ts';
import { runChecks } from '../operate/doctor/run-checks.ts';
import { createPrograms } from '../operate/doctor/run-program.ts';
import { readAs } from '../operate/plan/settings-files.ts';

const LONGEST_CLEAN_UP_MS = 1_000;
/** The share of a check's time that a question may take. The rest is for reporting that there was no answer. */
const ANSWER_SHARE = 0.6;

export async function run(argv: readonly string[], env: NodeJS.ProcessEnv): Promise<number> {
  const typed = readCommandLine(doctorCommand, argv, env, () => undefined);
  if (typed.kind === 'help') {
    process.stdout.write(typed.text);
    return 0;
  }
  const files = hostFiles(String(typed.values['root']).replace(/\/+$/, '') || '/');
  const file = forgivingReader(settingsBelow(files));
  const line = readCommandLine(doctorCommand, argv, env, file.read);
  if (line.kind === 'help') return 0;
  const settings = doctorSettings(
    line.values,
    checks.map(({ id }) => id),
  );
  const look = file.look();
  const report = await examine(settings, files, look);
  await print(report, settings);
  // A read from a dead disk or file server may never return; do not wait for it.
  process.exit(exitCodeOf(report));
}

async function examine(
  typed: DoctorCommandSettings,
  files: HostFiles,
  settingsFile: SettingsFileReading,
): Promise<DoctorReport> {
  const start = performance.now();
  const controller = new AbortController();
  // When stopped, doctor prints what it has found so far and leaves no nftables table behind.
  const signal = AbortSignal.any([controller.signal, stopOnSignals(() => undefined)]);
  const { pages, kubeconfig } = await asInstalled(
    files,
    settingsFile.kind === 'read' ? settingsFile.file : undefined,
  );
  const settings = { ...typed, pages, kubeconfig: typed.kubeconfig ?? kubeconfig };
  const answerTimeoutMs = settings.timeout * ANSWER_SHARE;
  const programs = createPrograms(runLeanCommand, settings.timeout);
  const all = { ...settings, settingsFile };
  const context: DoctorContext = {
    settings: all,
    files,
    run: programs.run,
    answerTimeoutMs,
    readings: createReadings(all, files, { signal, answerTimeoutMs }),
  };
  const chosen = checks.filter(({ id }) => settings.only?.includes(id) ?? true);
  const results = await runChecks(chosen, context, { timeoutMs: settings.timeout, signal });
  controller.abort();
  await programs.idle(LONGEST_CLEAN_UP_MS);
  return reportOf(results, performance.now() - start);
}

/** Reads the node's settings file, or the default one if it exists. Messages name the path as the node sees it. */
function settingsBelow(files: HostFiles): SettingsReader {
  return (asked) => {
    const path = asked ?? defaultSettingsPath;
    if (asked === undefined && !existsSync(files.at(path))) return undefined;
    return { ...readAs(path, files.at(path)).file, path };
  };
}

async function print(report: DoctorReport, settings: DoctorCommandSettings): Promise<void> {
  const colours = process.stdout.isTTY && !process.env['NO_COLOR'];
  const text = settings.json
    ? (await structuredWriter(settings.json))(report)
    : reportLines(report, { colours }).join('\n');
  await new Promise((resolve) => process.stdout.write(`${text}\n`, resolve));
}
