/** Another node of the group, where it is asked for what it publishes. */
export interface Peer {
  readonly name: string;
  readonly address: string;
}

/** With what the nodes show each other their status, as it was set; undefined where they do not. */
export type PeerSetting =
  | { readonly kind: 'set'; readonly files: PeerFiles; readonly port: number }
  /** Some of the files are set and some are not. */
  | { readonly kind: 'half'; readonly problems: readonly string[] }
  | undefined;

/** PEM files with which the nodes of a group authenticate to each other. */
export interface PeerFiles {
  /** The authority of all nodes' certificates; two of them while one takes the other's place. */
  readonly ca: string;
  /** This node's own, and what leads from it to the authority. */
  readonly cert: string;
  readonly key: string;
}
