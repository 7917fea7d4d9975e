import { existsSync } from 'node:fs';
import { readCommandLine } from '../cli/command-line.ts';
import { printText } from '../cli/print-text.ts';
import { defaultSettingsPath, type SettingsReader } from '../cli/settings-values.ts';
import { structuredWriter } from '../cli/structured-text.ts';
import {
  type DoctorCommandSettings,
  doctorCommand,
  doctorSettings,
  forgivingReader,
} from '../operate/doctor/doctor-settings.ts';
import { examine } from '../operate/doctor/examine.ts';
import { type HostFiles, hostFiles } from '../operate/doctor/host-files.ts';
import { checks } from '../operate/doctor/registry.ts';
import { type DoctorReport, exitCodeOf } from '../operate/doctor/report.ts';
import { reportLines } from '../operate/doctor/report-lines.ts';
import { readAs } from '../operate/plan/settings-files.ts';

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
  const report = await examine(settings, files, file.look());
  await print(report, settings);
  // A read from a dead disk or file server may never return; do not wait for it.
  process.exit(exitCodeOf(report));
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
  const write = await structuredWriter(settings.json);
  await printText(settings.json ? write(report) : reportLines(report, { colours }).join('\n'));
}
