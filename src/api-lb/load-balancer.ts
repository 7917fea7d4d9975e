/** What an operator can choose about the load balancer; everything else of the model is a decision of `render/`. */
export interface LoadBalancerSettings {
  /** Where clients are served, on every address of the node. The redirect leads here. */
  readonly lbPort: number;
  /** The statistics page, on 127.0.0.1 only. */
  readonly statPort: number;
  /** `/haproxy_ready` for the kubelet and `/haproxy_monitor` for the holder of the VIP, on every address. */
  readonly healthPort: number;
  /** The API servers' own port, which is also the port that clients use on the VIP. */
  readonly apiPort: number;
  /** Whether the kernel has IPv6 at all: with ipv6.disable=1 it has no sockets of that family. Default true. */
  readonly hasIpv6?: boolean | undefined;
  /** What the nodes of this cluster make their virtual router ids of, where it is set: a node that joins asks for it. */
  readonly clusterName?: string | undefined;
  /** One log line a connection to the API, not only for failed ones. Default false. */
  readonly logConnections?: boolean | undefined;
  /** The supervisor's side of HAProxy: it hands over listeners and answers questions about servers. */
  readonly statsSocket: string;
  /** The file in which the supervisor saves the servers' health before a reload, for the next generation to read. */
  readonly stateFile: string;
}

/**
 * Everything `templates/haproxy.cfg.ejs` can print, ready to be printed: durations carry their units and every
 * string is free of blanks, quotes and control characters. A template that names a field which is not here fails.
 */
export interface LoadBalancerModel {
  /** Every address of the node: `::`, which with `v4v6` is those of both families, or `0.0.0.0` without IPv6. */
  readonly anyAddress: string;
  readonly ports: {
    readonly lbPort: number;
    readonly statPort: number;
    readonly healthPort: number;
    readonly apiPort: number;
  };
  /** Null where every node takes it from its kubeconfig. */
  readonly clusterName: string | null;
  /** Sorted by name; may be empty. */
  readonly servers: readonly LoadBalancerServer[];
  readonly statsSocket: string;
  readonly stateFile: string;
  /** Set by the supervisor when it is asked to end. */
  readonly leavingVariable: string;
  /** A target of HAProxy's `log` directive. */
  readonly logTarget: string;
  readonly logConnections: boolean;
  /** Connections that clients may hold, and the total, which leaves some for probes and the stats page. */
  readonly maxconn: { readonly clients: number; readonly total: number };
  /** HAProxy durations such as `3s`. */
  readonly timeouts: {
    /** Of one attempt to connect a client; another server is tried after it. */
    readonly attempt: string;
    /** Of a check, with its TLS handshake. */
    readonly connect: string;
    readonly client: string;
    readonly server: string;
    readonly tunnel: string;
    readonly fin: string;
    readonly check: string;
    readonly probe: string;
    /** How long a draining process spreads the closing of its idle connections. */
    readonly closeSpread: string;
  };
  readonly redispatches: number;
  /** Where `timeouts.connect` bounds an attempt: the shipped template's is shorter, with `redispatches`. */
  readonly retries: number;
  /** TCP keepalive of clients: `idle`, then `count` probes `interval` apart, then the client is gone. */
  readonly keepalive: { readonly idle: string; readonly interval: string; readonly count: number };
  readonly check: HealthCheck;
}

export interface LoadBalancerServer {
  readonly name: string;
  readonly address: string;
  readonly port: number;
  /** Address and port as HAProxy reads them: `10.0.0.1:6443`, `[fd00::1]:6443`. */
  readonly endpoint: string;
  /** Out of rotation: takes no new connections. Never true for every server. */
  readonly isDrained: boolean;
}

export interface HealthCheck {
  readonly path: string;
  readonly expectStatus: number;
  readonly weight: number;
  readonly inter: string;
  readonly fastinter: string;
  readonly fall: number;
  readonly rise: number;
  readonly slowstart: string;
  /** `(rise - 1) * fastinter`: how long a server must answer well before it gets its first connection. */
  readonly holdDown: string;
}
