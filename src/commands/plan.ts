import type { SettingsOf } from '../cli/command-spec.ts';
import type { CommandContext } from '../cli/run-command.ts';
import { structuredWriter } from '../cli/structured-text.ts';
import { makePlan } from '../operate/plan/make-plan.ts';
import { planLines } from '../operate/plan/plan-lines.ts';
import { planCommand } from '../operate/plan/plan-settings.ts';
import { exitCodeOf } from '../operate/plan/report.ts';
import { daemonKeys, readSettingsFile } from './pods.ts';
import { planned } from './products.ts';

export const spec = planCommand;

export async function run(settings: SettingsOf<typeof spec>, { env }: CommandContext): Promise<number> {
  const report = await makePlan(settings, planned, { keys: daemonKeys, readSettings: readSettingsFile });
  const colours = process.stdout.isTTY && !env['NO_COLOR'];
  const text = settings.json
    ? (await structuredWriter(settings.json))(report)
    : planLines(report, planned, { colours }).join('\n');
  process.stdout.write(`${text}\n`);
  return exitCodeOf(report);
}
