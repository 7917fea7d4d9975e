import { readCommandLine } from '../cli/command-line.ts';
import { printReport } from '../vip/steering/print-report.ts';
import { undrainCommand, undrainSettings } from '../vip/steering/steering-settings.ts';
import { undrain } from '../vip/steering/undrain.ts';

export async function run(argv: readonly string[], env: NodeJS.ProcessEnv): Promise<number> {
  const line = readCommandLine(undrainCommand, argv, env);
  if (line.kind === 'help') {
    process.stdout.write(line.text);
    return 0;
  }
  const settings = undrainSettings(line.values);
  return await printReport(await undrain(settings), settings.json);
}
