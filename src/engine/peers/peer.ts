/** Another node of the group, where it is asked for what it publishes. */
export interface Peer {
  readonly name: string;
  readonly address: string;
}

/** PEM files with which the nodes of a group authenticate to each other. */
export interface PeerFiles {
  /** The authority of all nodes' certificates; two of them while one takes the other's place. */
  readonly ca: string;
  /** This node's own, and what leads from it to the authority. */
  readonly cert: string;
  readonly key: string;
}
