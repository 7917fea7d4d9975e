import type { Resource } from '../resource.ts';
import { chooseServers } from './choose-servers.ts';
import { type ClusterSettings, preferenceOf, withUnparsed } from './cluster-settings.ts';
import { parseNode, type ServerFinding } from './server-objects.ts';
import { shareServerSource } from './server-source.ts';
import type { Source } from './source.ts';

/**
 * The control-plane nodes of the cluster. A label selector cannot express "this key or that one", so both labels are
 * listed and watched separately and then merged. An unfiltered request would return every node with its images: 75 MB
 * for 5,000 nodes, to find three.
 */
export function shareNodes(settings: ClusterSettings): (vips: readonly string[]) => Source {
  const resources = ['control-plane', 'master'].map((role) => ({
    ...nodes(settings.apiPort),
    what: `${role} nodes`,
    labelSelector: `node-role.kubernetes.io/${role}`,
  }));
  return shareOf(settings, resources);
}

/** Every node of the cluster, whatever its role: each may hold an ingress VIP. */
export function shareAllNodes(settings: ClusterSettings): (vips: readonly string[]) => Source {
  return shareOf(settings, [nodes(settings.apiPort)]);
}

function nodes(apiPort: number): Resource<ServerFinding> {
  return { what: 'nodes', apiVersion: 'v1', plural: 'nodes', project: parseNode(apiPort) };
}

function shareOf(
  settings: ClusterSettings,
  resources: readonly Resource<ServerFinding>[],
): (vips: readonly string[]) => Source {
  const share = shareServerSource(settings, resources);
  return (vips) =>
    share((findings) => {
      const candidates = findings.flatMap((finding) => finding.candidates);
      return withUnparsed(chooseServers(candidates, preferenceOf({ ...settings, vips })), findings);
    });
}
