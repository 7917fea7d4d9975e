import { readCommandLine } from '../cli/command-line.ts';
import { moveVip } from '../vip/steering/move-vip.ts';
import { printReport } from '../vip/steering/print-report.ts';
import { moveVipCommand, moveVipSettings } from '../vip/steering/steering-settings.ts';

export async function run(argv: readonly string[], env: NodeJS.ProcessEnv): Promise<number> {
  const line = readCommandLine(moveVipCommand, argv, env);
  if (line.kind === 'help') {
    process.stdout.write(line.text);
    return 0;
  }
  const settings = moveVipSettings(line.values);
  return await printReport(await moveVip(settings, env), settings.json);
}
