import type { OutputFormat } from '../../cli/output-format.ts';
import { structuredWriter } from '../../cli/structured-text.ts';
import type { VipKind } from '../../keepalived/vip-kind.ts';
import type { KeepalivedMonitorStatus } from '../keepalived-monitor-status.ts';
import type { SteeringFacts } from './steering-plan.ts';
import { exitCodeOf, type SteeringReport, steeringLines } from './steering-report.ts';
import { findHolder, holderText } from './vip-holder.ts';

/** The holders of the VIPs of these kinds. */
export async function whereAre(
  kinds: readonly VipKind[],
  { vips }: Pick<SteeringFacts, 'vips'>,
  group: KeepalivedMonitorStatus['group'],
): Promise<SteeringReport['vips']> {
  const all = vips.flatMap(({ kind, vips: list }) =>
    kinds.includes(kind) ? list.map((vip) => ({ kind, vip })) : [],
  );
  return await Promise.all(
    all.map(async ({ kind, vip }) => {
      const found = await findHolder(vip, group);
      const holder = found.kind === 'free' ? null : holderText(found);
      return { kind, vip, holder, here: found.kind === 'here' };
    }),
  );
}

/** Prints the report, with failures on stderr, and returns the exit code. */
export async function printReport(report: SteeringReport, json: OutputFormat | undefined): Promise<number> {
  const exitCode = exitCodeOf(report);
  if (json) process.stdout.write(`${(await structuredWriter(json))(report)}\n`);
  else (exitCode === 0 ? process.stdout : process.stderr).write(`${steeringLines(report).join('\n')}\n`);
  return exitCode;
}
