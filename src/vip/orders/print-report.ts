import type { OutputFormat } from '../../cli/command-spec.ts';
import { structuredWriter } from '../../cli/run-command.ts';
import { exitCodeOf, type OrderReport, orderLines } from './order-report.ts';

/** Prints the report, with failures on stderr, and returns the exit code. */
export async function printReport(report: OrderReport, json: OutputFormat | undefined): Promise<number> {
  const exitCode = exitCodeOf(report);
  if (json) process.stdout.write(`${(await structuredWriter(json))(report)}\n`);
  else (exitCode === 0 ? process.stdout : process.stderr).write(`${orderLines(report).join('\n')}\n`);
  return exitCode;
}
