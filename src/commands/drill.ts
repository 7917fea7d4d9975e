import { readCommandLine } from '../cli/command-line.ts';
import { drill } from '../vip/steering/drill.ts';
import { printDrill } from '../vip/steering/print-report.ts';
import { drillCommand, drillSettings } from '../vip/steering/steering-settings.ts';

export async function run(argv: readonly string[], env: NodeJS.ProcessEnv): Promise<number> {
  const line = readCommandLine(drillCommand, argv, env);
  if (line.kind === 'help') {
    process.stdout.write(line.text);
    return 0;
  }
  const settings = drillSettings(line.values);
  const report = await drill(settings, env, (intention) => {
    if (!settings.json) process.stderr.write(`${intention}\n`);
  });
  return await printDrill(report, settings.json);
}
