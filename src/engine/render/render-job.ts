import type { LoadBalancerSettings } from '../../api-lb/load-balancer.ts';
import { renderLoadBalancer } from '../../api-lb/render-load-balancer.ts';
import { renderKeepalived } from '../../vip/group/render-keepalived.ts';
import type { KeepalivedModel } from '../../vip/group/vrrp.ts';
import type { ApiServer } from '../kube/control-plane/api-server.ts';
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
