import type { SeenCluster } from '../../engine/examine/seen.ts';
import type { ApiLbNode } from './api-lb-node.ts';
import { haproxySection } from './haproxy.ts';
import { haproxyEntry } from './node-entry.ts';
import { haproxyProblems } from './problems.ts';
import { serversSection } from './servers.ts';

/** What the API load balancer says in `hawser status`. */
export const apiLbStatus = {
  problems: haproxyProblems,
  sections: ({ here }: SeenCluster<ApiLbNode>) => [serversSection(here), haproxySection(here)],
  columns: { HAProxy: 'haproxy' },
  entry: haproxyEntry,
};
