import type { SettingsOf } from '../cli/command-spec.ts';
import type { CommandContext } from '../cli/run-command.ts';
import { moveVip } from '../vip/steering/move-vip.ts';
import { printReport } from '../vip/steering/print-report.ts';
import { moveVipCommand } from '../vip/steering/steering-settings.ts';

export const spec = moveVipCommand;

export async function run(settings: SettingsOf<typeof spec>, { env }: CommandContext): Promise<number> {
  return await printReport(await moveVip(settings, env), settings.json);
}
