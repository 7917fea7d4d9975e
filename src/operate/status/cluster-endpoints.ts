import { existsSync } from 'node:fs';
import { layout } from '../install/layout.ts';
import type { ClusterEndpoints } from './collect-cluster-status.ts';
import type { StatusSettings } from './status-settings.ts';

/** The endpoints of the whole cluster, from the settings. */
export function clusterEndpoints(settings: StatusSettings): ClusterEndpoints {
  const { apiVips, ingressVips, statPort, healthPort, nodeName, pages, worker } = settings;
  return {
    ...{ statPort, pages, healthPort, node: nodeName },
    isInstalled: existsSync(layout.record),
    isWorker: worker,
    vips: [
      ...apiVips.map((vip) => ({ vip, kind: 'api' as const })),
      ...ingressVips.map((vip) => ({ vip, kind: 'ingress' as const })),
    ],
  };
}
