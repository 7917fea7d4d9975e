import { haproxyMonitorSettings, showConfigCommand } from '../api-lb/haproxy-monitor-settings.ts';
import { loadBalancerModel } from '../api-lb/load-balancer-model.ts';
import { serversOnce } from '../api-lb/servers-once.ts';
import { readCommandLine } from '../cli/command-line.ts';
import { createLog } from '../engine/observe/logger.ts';
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
