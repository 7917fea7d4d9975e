import type { SettingsOf } from '../cli/command-spec.ts';
import type { CommandContext } from '../cli/run-command.ts';
import { drain } from '../vip/steering/drain.ts';
import { printReport } from '../vip/steering/print-report.ts';
import { drainCommand } from '../vip/steering/steering-settings.ts';

export const spec = drainCommand;

export async function run(settings: SettingsOf<typeof spec>, { env }: CommandContext): Promise<number> {
  return await printReport(await drain(settings, env), settings.json);
}
