import { existsSync } from 'node:fs';
import { peerQuestion } from '../../engine/peers/peer-question.ts';
import { layout } from '../install/layout.ts';
import type { ClusterEndpoints } from './collect-cluster-status.ts';
import { findAndInstalled } from './find-and-installed.ts';
import { nodeStatusSchema } from './node-status.ts';
import type { ProductStatus } from './product-status.ts';
import type { StatusSettings } from './status-settings.ts';

/**
 * The endpoints of the whole cluster, from the settings. The peers' certificates are read each time, since they are
 * renewed.
 */
export async function clusterEndpoints(
  settings: StatusSettings,
  products: readonly ProductStatus[],
): Promise<ClusterEndpoints> {
  const { apiVips, ingressVips, statPort, healthPort, nodeName, pages } = settings;
  return {
    ...{ statPort, pages, healthPorts: [healthPort], node: nodeName, instances: findAndInstalled },
    isInstalled: existsSync(layout.record),
    vips: [
      ...apiVips.map((vip) => ({ vip, kind: 'api' as const })),
      ...ingressVips.map((vip) => ({ vip, kind: 'ingress' as const })),
    ],
    question: await peerQuestion(settings.peers, nodeStatusSchema(products)),
  };
}
