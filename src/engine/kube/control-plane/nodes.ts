import { parseNode } from '../kube-objects.ts';
import type { Resource } from '../list-objects.ts';
import { shareListWatch } from '../list-watch-source.ts';
import { chooseServers } from './choose-servers.ts';
import { type ClusterSettings, preferenceOf, withUnparsed } from './cluster-settings.ts';
import type { Source } from './source.ts';

/**
 * The control-plane nodes of the cluster. A label selector cannot express "this key or that one", so both labels are
 * listed and watched separately and then merged. An unfiltered request would return every node with its images: 75 MB
 * for 5,000 nodes, to find three.
 */
export function shareNodes(settings: ClusterSettings): (vips: readonly string[]) => Source {
  const resources = ['control-plane', 'master'].map((role) => ({
    what: `${role} nodes`,
    path: '/api/v1/nodes',
    labelSelector: `node-role.kubernetes.io/${role}`,
    parse: parseNode(settings.apiPort),
  }));
  return shareOf(settings, resources);
}

/** Every node of the cluster, whatever its role: each may hold an ingress VIP. */
export function shareAllNodes(settings: ClusterSettings): (vips: readonly string[]) => Source {
  const resource = {
    what: 'nodes',
    path: '/api/v1/nodes',
    labelSelector: '',
    parse: parseNode(settings.apiPort),
  };
  return shareOf(settings, [resource]);
}

function shareOf(
  settings: ClusterSettings,
  resources: readonly Resource[],
): (vips: readonly string[]) => Source {
  const share = shareListWatch(settings, resources);
  return (vips) =>
    share((items) => {
      const candidates = items.flatMap((item) => item.candidates);
      return withUnparsed(chooseServers(candidates, preferenceOf({ ...settings, vips })), items);
    });
}
