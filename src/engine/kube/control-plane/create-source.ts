import type { ApiServer } from '../api-server.ts';
import type { ClusterSettings } from './cluster-settings.ts';
import { createEndpointsSource } from './endpoints.ts';
import { shareAllNodes, shareNodes } from './nodes.ts';
import type { Source } from './source.ts';
import { createStaticSource } from './static-servers.ts';

export type SourceSettings =
  | ({ readonly kind: 'nodes' } & ClusterSettings)
  | ({ readonly kind: 'all-nodes' } & ClusterSettings)
  | ({ readonly kind: 'endpoints' } & ClusterSettings)
  | { readonly kind: 'static'; readonly servers: readonly ApiServer[] };

export function createSource(settings: SourceSettings): Source {
  return shareSource(settings)(settings.kind === 'static' ? [] : settings.vips);
}

/** Sources with shared requests, one for each group of VIPs. The VIPs decide which address of a node is used. */
export function shareSource(settings: SourceSettings): (vips: readonly string[]) => Source {
  switch (settings.kind) {
    case 'nodes':
      return shareNodes(settings);
    case 'all-nodes':
      return shareAllNodes(settings);
    case 'endpoints':
      return (vips) => createEndpointsSource({ ...settings, vips });
    case 'static':
      return () => createStaticSource(settings.servers);
  }
}
