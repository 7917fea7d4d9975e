export interface ClusterNode {
  readonly name: string;
  readonly addresses: readonly string[];
}
