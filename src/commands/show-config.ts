import { readCommandLine } from '../config/command-line.ts';
import { haproxyMonitorSettings, showConfigCommand } from '../config/haproxy-monitor-settings.ts';
import { createLog } from '../observe/logger.ts';
import { loadBalancerModel } from '../render/load-balancer-model.ts';
import { serversOnce } from './monitor/servers-once.ts';
import { settingsWithOrigins } from './settings-with-origins.ts';

/** `hawser show-config`: prints as JSON the model that the template gets, and where each setting came from. */
export async function run(argv: readonly string[], env: NodeJS.ProcessEnv): Promise<number> {
  const line = readCommandLine(showConfigCommand, argv, env);
  if (line.kind === 'help') {
    process.stdout.write(line.text);
    return 0;
  }
  const settings = haproxyMonitorSettings(line.values);
  const servers = await serversOnce(settings, createLog('show-config', settings.logLevel));
  const model = loadBalancerModel(settings, servers ?? []);
  const shown = { ...model, settings: settingsWithOrigins(line) };
  process.stdout.write(`${JSON.stringify(shown, null, 2)}\n`);
  return servers === undefined ? 1 : 0;
}
