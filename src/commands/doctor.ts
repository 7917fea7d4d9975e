import { readCommandLine } from '../config/command-line.ts';
import {
  type DoctorCommandSettings,
  doctorCommand,
  doctorSettings,
  forgivingReader,
  type SettingsFileLook,
} from '../config/doctor-settings.ts';
import { readSettingsInChild } from '../config/read-settings-in-child.ts';
import type { DoctorContext } from '../doctor/context.ts';
import { hostFiles } from '../doctor/host-files.ts';
import { createLooks } from '../doctor/looks.ts';
import { checks } from '../doctor/registry.ts';
import { type DoctorReport, exitCodeOf, reportOf } from '../doctor/report.ts';
import { reportLines } from '../doctor/report-lines.ts';
import { runChecks } from '../doctor/run-checks.ts';
import { createPrograms } from '../doctor/run-program.ts';
import { runLeanCommand } from '../system/run-lean-command.ts';
import { stopOnSignals } from './stop-signals.ts';

const LONGEST_CLEAN_UP_MS = 1_000;
/** Of a check's time: what is left is for saying that there was no answer. */
const ANSWER_SHARE = 0.6;

/** `hawser doctor`. */
export async function run(argv: readonly string[], env: NodeJS.ProcessEnv): Promise<number> {
  const file = forgivingReader(readSettingsInChild);
  const line = readCommandLine(doctorCommand, argv, env, file.read);
  if (line.kind === 'help') {
    process.stdout.write(line.text);
    return 0;
  }
  const settings = doctorSettings(
    line.values,
    checks.map(({ id }) => id),
  );
  const report = await examine(settings, file.look());
  await print(report, settings);
  // A look at a dead disk or file server may never come back; nobody waits for it any more.
  process.exit(exitCodeOf(report));
}

async function examine(
  settings: DoctorCommandSettings,
  settingsFile: SettingsFileLook,
): Promise<DoctorReport> {
  const start = performance.now();
  const controller = new AbortController();
  // Whoever stops it gets to read what was found by then, and no table of nftables is left behind.
  const signal = AbortSignal.any([controller.signal, stopOnSignals(() => undefined)]);
  const files = hostFiles(settings.root.replace(/\/+$/, '') || '/');
  const answerTimeoutMs = settings.timeout * ANSWER_SHARE;
  const programs = createPrograms(runLeanCommand, settings.timeout);
  const all = { ...settings, settingsFile };
  const context: DoctorContext = {
    settings: all,
    files,
    run: programs.run,
    answerTimeoutMs,
    looks: createLooks(all, files, { signal, answerTimeoutMs }),
  };
  const chosen = checks.filter(({ id }) => settings.only?.includes(id) ?? true);
  const results = await runChecks(chosen, context, { timeoutMs: settings.timeout, signal });
  controller.abort();
  await programs.idle(LONGEST_CLEAN_UP_MS);
  return reportOf(results, performance.now() - start);
}

async function print(report: DoctorReport, settings: DoctorCommandSettings): Promise<void> {
  const colours = process.stdout.isTTY && !process.env['NO_COLOR'];
  const text = settings.json ? JSON.stringify(report) : reportLines(report, { colours }).join('\n');
  await new Promise((resolve) => process.stdout.write(`${text}\n`, resolve));
}
