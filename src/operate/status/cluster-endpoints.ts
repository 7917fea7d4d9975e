import type { ClusterEndpoints } from './collect-cluster-status.ts';
import type { PeerQuestion } from './observe-peers.ts';
import type { StatusSettings } from './status-settings.ts';

/**
 * The endpoints of the whole cluster, from the settings. The peers' certificates are read each time, since they are
 * renewed.
 */
export async function clusterEndpoints(settings: StatusSettings): Promise<ClusterEndpoints> {
  const { apiVips, ingressVips, statPort, healthPort, nodeName } = settings;
  return {
    ...{ statPort, healthPort, node: nodeName },
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
    question: await peerQuestion(settings),
  };
}

/** How to ask the peers for their published status, or why that is impossible. */
export async function peerQuestion({ peers }: Pick<StatusSettings, 'peers'>): Promise<PeerQuestion> {
  if (peers === undefined)
    return { kind: 'none', problem: 'this node has no --peer-tls-… files to ask it with' };
  // Loading TLS takes a third of this command's time, so it is loaded only when needed.
  const [{ readCredentials }, { fetchPeerStatus }] = await Promise.all([
    import('../../engine/peers/credentials.ts'),
    import('./peer-client.ts'),
  ]);
  const look = await readCredentials(peers.files, new Date());
  if (look.kind !== 'good') return { kind: 'none', problem: look.message };
  const access = { credentials: look.credentials, port: peers.port };
  return { kind: 'asked', ask: (peer, limits) => fetchPeerStatus(peer, access, limits) };
}
