import { renderCommand } from '../api-lb/haproxy-monitor-settings.ts';
import { renderLoadBalancer } from '../api-lb/render-load-balancer.ts';
import { serversOnce } from '../api-lb/servers-once.ts';
import type { SettingsOf } from '../cli/command-spec.ts';
import { isOwnFile } from '../engine/apply/foreign-file.ts';
import { createLog } from '../engine/observe/logger.ts';
import { readTemplate } from '../engine/reconcile/template-file.ts';
import { writeFirst } from '../engine/reconcile/write-first.ts';

export const spec = renderCommand;

/**
 * `hawser render`, for an init container: writes CONFIG once. If no API server answers and no list is known, it leaves
 * a configuration that hawser rendered before, and renders a missing or foreign one without servers.
 */
export async function run(settings: SettingsOf<typeof spec>): Promise<number> {
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
  const rendered = { text: outcome.text, mode: template.mode };
  await writeFirst(settings.config, rendered, log, { servers: servers?.length ?? 0 });
  return 0;
}

function refuse(message: string): number {
  process.stderr.write(`${message}\n`);
  return 1;
}
