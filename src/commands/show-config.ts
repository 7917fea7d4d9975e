import { readCommandLine } from '../config/command-line.ts';
import { haproxyMonitorSettings, showConfigCommand } from '../config/haproxy-monitor-settings.ts';
import { createLog } from '../observe/logger.ts';
import { loadBalancerModel } from '../render/load-balancer-model.ts';
import { serversOnce } from './monitor/servers-once.ts';

/** `hawser show-config`: prints the model that the template gets, as JSON. */
export async function run(argv: readonly string[], env: NodeJS.ProcessEnv): Promise<number> {
  const line = readCommandLine(showConfigCommand, argv, env);
  if (line.kind === 'help') {
    process.stdout.write(line.text);
    return 0;
  }
  const settings = haproxyMonitorSettings(line.values);
  const servers = await serversOnce(settings, createLog('show-config', settings.logLevel));
  process.stdout.write(`${JSON.stringify(loadBalancerModel(settings, servers ?? []), null, 2)}\n`);
  return servers === undefined ? 1 : 0;
}
