import { readCommandLine } from '../cli/command-line.ts';
import { drain } from '../vip/steering/drain.ts';
import { printReport } from '../vip/steering/print-report.ts';
import { drainCommand, drainSettings } from '../vip/steering/steering-settings.ts';

export async function run(argv: readonly string[], env: NodeJS.ProcessEnv): Promise<number> {
  const line = readCommandLine(drainCommand, argv, env);
  if (line.kind === 'help') {
    process.stdout.write(line.text);
    return 0;
  }
  const settings = drainSettings(line.values);
  return await printReport(await drain(settings, env), settings.json);
}
