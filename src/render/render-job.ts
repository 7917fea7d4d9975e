import type { ApiServer } from '../model/api-server.ts';
import type { LoadBalancerSettings } from '../model/load-balancer.ts';
import type { KeepalivedModel } from '../model/vrrp.ts';
import { renderKeepalived } from './render-keepalived.ts';
import { renderLoadBalancer } from './render-load-balancer.ts';
import type { RenderOutcome } from './render-template.ts';

/** One rendering as plain data, so that another thread can do it. */
export type RenderJob = { readonly templateText: string; readonly templatePath: string } & (
  | {
      readonly kind: 'load-balancer';
      readonly settings: LoadBalancerSettings;
      readonly servers: readonly ApiServer[];
    }
  | { readonly kind: 'keepalived'; readonly model: KeepalivedModel }
);

export function render(job: RenderJob): RenderOutcome {
  const { templateText, templatePath } = job;
  switch (job.kind) {
    case 'load-balancer':
      return renderLoadBalancer(templateText, job.settings, job.servers, { templatePath });
    case 'keepalived':
      return renderKeepalived(templateText, job.model, { templatePath });
  }
}
