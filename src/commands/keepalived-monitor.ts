import { readCommandLine } from '../cli/command-line.ts';
import { monitorKeepalived } from '../vip/keepalived-monitor.ts';
import { keepalivedMonitorCommand, keepalivedMonitorSettings } from '../vip/keepalived-monitor-settings.ts';

export async function run(argv: readonly string[], env: NodeJS.ProcessEnv): Promise<number> {
  const line = readCommandLine(keepalivedMonitorCommand, argv, env);
  if (line.kind === 'help') {
    process.stdout.write(line.text);
    return 0;
  }
  return await monitorKeepalived(keepalivedMonitorSettings(line.values), env);
}
