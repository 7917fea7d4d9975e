import { fileURLToPath } from 'node:url';
import { buildKeepalivedModel } from '../../src/vip/group/keepalived-model.ts';
import type { KeepalivedSettings, VrrpInput } from '../../src/vip/group/vrrp.ts';
import { renderKeepalived } from './render-keepalived.ts';
import { templateWithAdverts } from './vrrp/rare-adverts.ts';

const templatePath = fileURLToPath(new URL('../../templates/keepalived.conf.ejs', import.meta.url));

/** keepalived.conf of a cluster called "managed", as the program renders it, with its files in `dir`. */
export function configurationOf(
  dir: string,
  settings: Partial<KeepalivedSettings>,
  seen: Partial<VrrpInput>,
  advertIntervalMs: number,
): string {
  const built = buildKeepalivedModel({
    settings: {
      clusterName: 'managed',
      apiVips: [],
      ingressVips: [],
      nodeName: 'master-0',
      notifyFifo: `${dir}/notify.fifo`,
      trackFiles: { api: `${dir}/lb.track`, ingress: `${dir}/ingress.track` },
      ...settings,
    },
    controlPlane: [],
    allNodes: [],
    interfaces: [],
    routes: [],
    ...seen,
  });
  if (built.kind === 'not-ready') throw new Error(built.reason);
  const outcome = renderKeepalived(templateWithAdverts(advertIntervalMs), built.model, { templatePath });
  if (outcome.kind === 'failed') throw new Error(outcome.message);
  return outcome.text;
}
