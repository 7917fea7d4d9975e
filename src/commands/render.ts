import { haproxyMonitorSettings, renderCommand } from '../api-lb/haproxy-monitor-settings.ts';
import { renderLoadBalancer } from '../api-lb/render-load-balancer.ts';
import { serversOnce } from '../api-lb/servers-once.ts';
import { readCommandLine } from '../cli/command-line.ts';
import { isOwnFile, keepForeignFile } from '../engine/apply/foreign-file.ts';
import { findLiveFile } from '../engine/apply/live-file.ts';
import { createLog } from '../engine/observe/logger.ts';
import { logForeignFile } from '../engine/reconcile/log-outcome.ts';
import { readTemplate } from '../engine/reconcile/template-file.ts';
import { writeFileAtomically } from '../engine/system/file/atomic-write.ts';

/**
 * `hawser render`, for an init container: writes CONFIG once. If no API server answers and no list is known, it leaves
 * a configuration that hawser rendered before, and renders a missing or foreign one without servers.
 */
export async function run(argv: readonly string[], env: NodeJS.ProcessEnv): Promise<number> {
  const line = readCommandLine(renderCommand, argv, env);
  if (line.kind === 'help') {
    process.stdout.write(line.text);
    return 0;
  }
  const settings = haproxyMonitorSettings(line.values);
  const log = createLog('render', settings.logLevel);
  const servers = await serversOnce(settings, log);
  if (servers === undefined && isOwnFile(settings.config)) {
    log({ event: 'configuration-kept', level: 'warn', config: settings.config });
    return 0;
  }
  const template = await readTemplate(settings.template);
  if (template.kind === 'unreadable') return refuse(template.message);
  const options = { templatePath: settings.template };
  const outcome = renderLoadBalancer(template.text, settings, servers ?? [], options);
  if (outcome.kind === 'failed') return refuse(outcome.message);
  const foreign = await keepForeignFile(await findLiveFile(settings.config));
  if (foreign !== undefined) logForeignFile({ log })(foreign);
  await writeFileAtomically(settings.config, outcome.text, { mode: template.mode & 0o777 });
  log({ event: 'configuration-rendered', config: settings.config, servers: servers?.length ?? 0 });
  return 0;
}

function refuse(message: string): number {
  process.stderr.write(`${message}\n`);
  return 1;
}
