import type { ApiServer } from '../model/api-server.ts';
import type { ClusterSettings } from './cluster-settings.ts';
import { createEndpointsSource } from './endpoints.ts';
import { createAllNodesSource, createNodesSource } from './nodes.ts';
import type { Source } from './source.ts';
import { createStaticSource } from './static-servers.ts';

export type SourceSettings =
  | ({ readonly kind: 'nodes' } & ClusterSettings)
  | ({ readonly kind: 'all-nodes' } & ClusterSettings)
  | ({ readonly kind: 'endpoints' } & ClusterSettings)
  | { readonly kind: 'static'; readonly servers: readonly ApiServer[] };

export function createSource(settings: SourceSettings): Source {
  switch (settings.kind) {
    case 'nodes':
      return createNodesSource(settings);
    case 'all-nodes':
      return createAllNodesSource(settings);
    case 'endpoints':
      return createEndpointsSource(settings);
    case 'static':
      return createStaticSource(settings.servers);
  }
}
