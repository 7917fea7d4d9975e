import type { SettingsOf } from '../cli/command-spec.ts';
import type { CommandContext } from '../cli/run-command.ts';
import { drill } from '../vip/steering/drill.ts';
import { printDrill } from '../vip/steering/print-report.ts';
import { drillCommand } from '../vip/steering/steering-settings.ts';

export const spec = drillCommand;

export async function run(settings: SettingsOf<typeof spec>, { env }: CommandContext): Promise<number> {
  const report = await drill(settings, env, (intention) => {
    if (!settings.json) process.stderr.write(`${intention}\n`);
  });
  return await printDrill(report, settings.json);
}
