import { monitorHaproxy } from '../api-lb/haproxy-monitor.ts';
import { haproxyMonitorCommand, haproxyMonitorSettings } from '../api-lb/haproxy-monitor-settings.ts';
import { readCommandLine } from '../cli/command-line.ts';

export async function run(argv: readonly string[], env: NodeJS.ProcessEnv): Promise<number> {
  const line = readCommandLine(haproxyMonitorCommand, argv, env);
  if (line.kind === 'help') {
    process.stdout.write(line.text);
    return 0;
  }
  return await monitorHaproxy(haproxyMonitorSettings(line.values));
}
