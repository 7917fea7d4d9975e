import type { SettingsOf } from '../cli/command-spec.ts';
import { printReport } from '../vip/steering/print-report.ts';
import { undrainCommand } from '../vip/steering/steering-settings.ts';
import { undrain } from '../vip/steering/undrain.ts';

export const spec = undrainCommand;

export async function run(settings: SettingsOf<typeof spec>): Promise<number> {
  return await printReport(await undrain(settings), settings.json);
}
