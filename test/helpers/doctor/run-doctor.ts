import { fileURLToPath } from 'node:url';
import { runCommand } from '../../../src/engine/system/process/run-command.ts';
import { type DoctorReport, doctorReportSchema } from '../../../src/operate/doctor/report-lines.ts';
import type { NetNamespace } from '../net-namespace.ts';

const bundle = fileURLToPath(new URL('../../../dist/hawser.mjs', import.meta.url));

/** The doctor as users run it, without flags; started without the launcher, which needs a PATH. */
export const doctorArgv = [process.execPath, bundle, 'doctor'] as const;

export interface Examined {
  readonly exitCode: number | undefined;
  readonly report: DoctorReport;
  /** What one check reported: `fail: port 9445 …`. */
  readonly said: (id: string) => string;
}

/** `hawser doctor --json` in a namespace, with enough time for a busy machine. `argv` ends with `doctor`. */
export async function runDoctor(
  namespace: NetNamespace,
  flags: readonly string[],
  argv: readonly string[] = doctorArgv,
): Promise<Examined> {
  const [first, ...prefix] = namespace.prefix;
  const all = [first, ...prefix, ...argv, '--json', '--timeout', '20s', ...flags] as const;
  const { exitCode, stdout, stderr } = await runCommand(all, { timeoutMs: 60_000 });
  if (stdout === '') throw new Error(`the doctor said nothing: ${stderr}`);
  const report = doctorReportSchema.parse(JSON.parse(stdout));
  const said = (id: string): string => {
    const found = report.checks.find((check) => check.id === id);
    return `${found?.verdict}: ${found?.message}`;
  };
  return { exitCode, report, said };
}
