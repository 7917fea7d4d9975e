import { readCommandLine } from '../cli/command-line.ts';
import { keepalivedMonitorSettings } from '../vip/keepalived-monitor-settings.ts';
import { renderKeepalivedCommand } from '../vip/keepalived-render-settings.ts';
import { renderKeepalivedOnce } from '../vip/render-keepalived-once.ts';

export async function run(argv: readonly string[], env: NodeJS.ProcessEnv): Promise<number> {
  const line = readCommandLine(renderKeepalivedCommand, argv, env);
  if (line.kind === 'help') {
    process.stdout.write(line.text);
    return 0;
  }
  await renderKeepalivedOnce(keepalivedMonitorSettings(line.values));
  return 0;
}
