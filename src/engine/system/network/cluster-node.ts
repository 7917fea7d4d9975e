/** A node of the cluster, with its addresses of every family. */
export interface ClusterNode {
  readonly name: string;
  readonly addresses: readonly string[];
}
