import { fileURLToPath } from 'node:url';
import { type DoctorReport, doctorReportSchema } from '../../../src/doctor/report.ts';
import { runCommand } from '../../../src/system/run-command.ts';
import type { NetNamespace } from '../net-namespace.ts';

const program = fileURLToPath(new URL('../../../src/main.ts', import.meta.url));

/** How the doctor is started, without its flags. */
export const doctorArgv = [process.execPath, program, 'doctor'] as const;

export interface Examined {
  readonly exitCode: number | undefined;
  readonly report: DoctorReport;
  /** What one check said: `fail: port 9445 …`. */
  readonly said: (id: string) => string;
}

/** `hawser doctor --json` in a namespace, with all the time that a busy machine needs. */
export async function runDoctor(
  namespace: NetNamespace,
  flags: readonly string[],
  before: readonly string[] = [],
): Promise<Examined> {
  const [first, ...prefix] = namespace.prefix;
  const argv = [first, ...prefix, ...before, ...doctorArgv, '--json', '--timeout', '20s', ...flags] as const;
  const { exitCode, stdout, stderr } = await runCommand(argv, { timeoutMs: 60_000 });
  if (stdout === '') throw new Error(`the doctor said nothing: ${stderr}`);
  const report = doctorReportSchema.parse(JSON.parse(stdout));
  const said = (id: string): string => {
    const found = report.checks.find((check) => check.id === id);
    return `${found?.verdict}: ${found?.found}`;
  };
  return { exitCode, report, said };
}
