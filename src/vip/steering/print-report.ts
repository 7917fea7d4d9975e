import type { OutputFormat } from '../../cli/command-spec.ts';
import { structuredWriter } from '../../cli/structured-text.ts';
import { type DrillReport, drillExitCode, drillLines } from './drill-report.ts';
import { exitCodeOf, type SteeringReport, steeringLines } from './steering-report.ts';

/** Prints the report, with failures on stderr, and returns the exit code. */
export async function printReport(report: SteeringReport, json: OutputFormat | undefined): Promise<number> {
  return await print(report, json, steeringLines(report), exitCodeOf(report));
}

export async function printDrill(report: DrillReport, json: OutputFormat | undefined): Promise<number> {
  return await print(report, json, drillLines(report), drillExitCode(report));
}

async function print(
  report: object,
  json: OutputFormat | undefined,
  lines: readonly string[],
  exitCode: number,
): Promise<number> {
  if (json) process.stdout.write(`${(await structuredWriter(json))(report)}\n`);
  else (exitCode === 0 ? process.stdout : process.stderr).write(`${lines.join('\n')}\n`);
  return exitCode;
}
