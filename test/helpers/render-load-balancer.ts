import { type LoadBalancerSettings, printableLoadBalancer } from '../../src/api-lb/load-balancer.ts';
import type { ApiServer } from '../../src/engine/kube/api-server.ts';
import { renderChecked } from '../../src/engine/render/checked-model.ts';
import type { RenderOutcome } from '../../src/engine/render/render-template.ts';

/** HAProxy's configuration file for these servers, rendered in this thread. */
export function renderLoadBalancer(
  templateText: string,
  settings: LoadBalancerSettings,
  servers: readonly ApiServer[],
  options: { readonly templatePath: string },
): RenderOutcome {
  return renderChecked(templateText, printableLoadBalancer(settings, servers), options);
}
