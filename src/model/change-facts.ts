/** What of a haproxy.cfg its clients can notice. */
export interface LoadBalancerFacts {
  readonly listeners: readonly Listener[];
  /** `cp-1 10.0.0.1:6443`, each once. */
  readonly servers: readonly string[];
}

export interface Listener {
  /** `frontend main`. */
  readonly proxy: string;
  /** As HAProxy reads it: `:::9445`, `127.0.0.1:29445`. */
  readonly address: string;
}

/** The parts of a keepalived.conf that decide which nodes hear each other and what each holds. */
export interface VrrpFacts {
  readonly version: 2 | 3;
  readonly instances: readonly VrrpInstanceFacts[];
}

export interface VrrpInstanceFacts {
  readonly name: string;
  readonly interface: string;
  readonly virtualRouterId: number;
  readonly mode: 'unicast' | 'multicast';
  /** Addresses; empty for multicast. */
  readonly peers: readonly string[];
  readonly vips: readonly string[];
  readonly advertIntervalMs: number;
  /** How soon a peer has certainly taken over from a holder that fell silent. */
  readonly takeOverMs: number;
}
