import type { HaproxyMonitorSettings } from '../../config/haproxy-monitor-settings.ts';
import type { ApiServer } from '../../model/api-server.ts';
import { renderLoadBalancer } from '../../render/render-load-balancer.ts';
import type { Observers } from './observers.ts';
import { readTemplate } from './template-file.ts';

export interface Rendered {
  readonly text: string;
  /** The template's mode, which the rendered file gets too. */
  readonly mode: number;
}

/**
 * Renders lists of servers with the template as it is at that moment. Undefined where the template cannot be read or
 * rendered: that is told once, and what HAProxy serves stays as it is.
 */
export function createRenderer(
  settings: HaproxyMonitorSettings,
  { log, once }: Observers,
): (servers: readonly ApiServer[]) => Promise<Rendered | undefined> {
  const complain = (message: string): undefined => {
    if (once.isNew('template', message)) log({ event: 'template-unusable', level: 'error', message });
    return undefined;
  };
  return async (servers) => {
    const template = await readTemplate(settings.template);
    if (template.kind === 'unreadable') return complain(template.message);
    const outcome = renderLoadBalancer(template.text, settings, servers, { templatePath: settings.template });
    if (outcome.kind === 'failed') return complain(outcome.message);
    if (once.clear('template')) log({ event: 'template-usable' });
    return { text: outcome.text, mode: template.mode };
  };
}
