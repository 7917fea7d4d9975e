import type { Problem } from '../../engine/examine/problem.ts';
import type { NodeEntry, Section } from '../../engine/examine/section.ts';
import type { KnownNode } from '../../engine/examine/seen.ts';
import type { ClusterStatus, NodeStatus } from './node-status.ts';

/** What a product says in `hawser status`; `src/commands/status-products.ts` lists all of them. */
export interface ProductStatus {
  /** What is wrong on one node, by what it says itself. */
  readonly problems: (node: NodeStatus) => readonly Problem[];
  /** What is wrong with all nodes together. */
  readonly clusterProblems?: (status: Unjudged) => readonly Problem[];
  /** By the name that a node uses; null where it does not say. */
  readonly clusterName?: (node: NodeStatus) => string | null;
  readonly sections: (status: ClusterStatus) => readonly Section[];
  /** In the list of nodes: their names, and the page's style for each. */
  readonly columns: Readonly<Record<string, string>>;
  readonly entry: (node: KnownNode<NodeStatus>, status: ClusterStatus) => NodeEntry;
}

export type Unjudged = Omit<ClusterStatus, 'verdict' | 'problems'>;
