import { healthPorts } from '../../cli/ports.ts';
import { peerQuestion } from '../../engine/peers/peer-question.ts';
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
  const { apiVips, ingressVips, statPort, healthPort, nodeName } = settings;
  return {
    ...{ statPort, healthPorts: healthPorts(healthPort), node: nodeName, instances: findAndInstalled },
    pages: {
      'haproxy-supervisor': settings.haproxySupervisor,
      'haproxy-monitor': settings.haproxyMonitor,
      'keepalived-supervisor': settings.keepalivedSupervisor,
      'keepalived-monitor': settings.keepalivedMonitor,
    },
    vips: [
      ...apiVips.map((vip) => ({ vip, kind: 'api' as const })),
      ...ingressVips.map((vip) => ({ vip, kind: 'ingress' as const })),
    ],
    question: await peerQuestion(settings.peers, nodeStatusSchema(products)),
  };
}
