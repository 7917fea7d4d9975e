/** What a fault may cost, in milliseconds: the documented figure if there is one, otherwise a measured one. */
export interface Bound {
  /** Time from the start of the fault until clients are served again; 0 if not a single request may fail. */
  readonly serviceMs: number;
  /** The same, from the end of the fault. */
  readonly serviceAfterMs: number;
  /** How long two nodes may hold the VIP after the fault starts; with `lasting`: during the fault and this long after it. */
  readonly twoHoldersMs: number;
  readonly lasting: boolean;
  /** How many times the VIP may move in total if the node was the holder. */
  readonly moves: 0 | 1 | 2 | 3;
  /** Whether a fault on a backup may also move the VIP. Needed for faults that all nodes share. */
  readonly movesAnywhere: boolean;
  /** keepalived's supervisor may report a wrong state of the node meanwhile. */
  readonly blind: boolean;
}

const harmless: Bound = {
  serviceMs: 0,
  serviceAfterMs: 0,
  twoHoldersMs: 0,
  lasting: false,
  moves: 0,
  movesAnywhere: false,
  blind: false,
};
const failover: Bound = { ...harmless, serviceMs: 1_000, moves: 1 };
/** Until every load balancer avoids an API server that does not answer: half a second (docs/performance.md), plus a margin. */
const TAIL_MS = 6_000;
/**
 * The same for one that still accepts connections. A hung one is set aside after about two seconds (docs/internals/decisions/0053).
 * One that returns errors, or that fails while no other answers, is left to HAProxy's own health checks, two of which have to fail.
 */
const HUNG_MS = 15_000;
/**
 * A stopped program that was sent SIGTERM exits once it resumes. The monitor that would notice may be stopping too, so
 * only its next start notices.
 */
export const ENDS_LATE_MS = 3_000;
/** Until both sides of a healed partition hear each other, see test/bench/failover/two-holders.ts. */
const HEALING_MS = 150;

const bounds: Readonly<Record<string, Bound>> = {
  'kill haproxy': failover,
  'kill haproxy-container': failover,
  'kill keepalived': { ...failover, twoHoldersMs: 1_000, blind: true },
  'kill keepalived-container': { ...failover, twoHoldersMs: 1_500, blind: true },
  'kill keepalived-supervisor': { ...harmless, blind: true },
  // A connection that is being redispatched to another server may be closed (docs/internals/decisions/0013).
  'kill api-server': { ...harmless, serviceMs: 1_000 },
  'stop haproxy': { ...failover, serviceMs: 3_000, serviceAfterMs: 1_000 },
  'stop haproxy-container': { ...failover, serviceMs: 3_000, serviceAfterMs: 1_000 },
  'stop keepalived': { ...failover, twoHoldersMs: 4_000, blind: true },
  'stop keepalived-supervisor': { ...harmless, blind: true },
  'stop keepalived-container': {
    ...failover,
    serviceAfterMs: 1_000,
    twoHoldersMs: 1_000,
    lasting: true,
    blind: true,
  },
  'stop api-server': { ...harmless, serviceMs: HUNG_MS },
  'restart-pod haproxy': failover,
  'restart-pod keepalived': { ...failover, blind: true },
  'restart-pod both': { ...failover, blind: true },
  // After the last pod has stopped, there may be no serving node until the kubelet has restarted the first one.
  'restart-pod every node': { ...failover, serviceAfterMs: 8_000, moves: 3, blind: true },
  'replace-node node': { ...failover, serviceMs: TAIL_MS, blind: true },
  'power-off node': { ...failover, serviceMs: TAIL_MS, blind: true },
  'api-fault silent-watch': harmless,
  'api-fault cut-watch': harmless,
  'api-fault garbage-watch': harmless,
  'api-fault error-500': { ...harmless, serviceMs: HUNG_MS },
  'api-fault not-ready': { ...harmless, serviceMs: 1_000 },
  'api-fault refuse': { ...harmless, serviceMs: 1_000 },
  'by-hand flush-nftables': harmless,
  'unplug node': {
    ...failover,
    serviceMs: TAIL_MS,
    serviceAfterMs: 1_000,
    twoHoldersMs: HEALING_MS,
    lasting: true,
  },
};

/** Bounds by kind alone, for kinds whose variants all cost the same. */
const boundsOfKinds: Readonly<Record<string, Bound>> = {
  partition: {
    ...failover,
    serviceMs: TAIL_MS,
    serviceAfterMs: 3_000,
    twoHoldersMs: HEALING_MS,
    lasting: true,
    moves: 2,
    movesAnywhere: true,
  },
  // Health checks and adverts are lost too.
  'bad-cable': {
    ...failover,
    serviceMs: HUNG_MS,
    serviceAfterMs: 3_000,
    twoHoldersMs: 1_000,
    lasting: true,
    moves: 2,
  },
  starve: {
    ...failover,
    serviceMs: HUNG_MS,
    serviceAfterMs: 3_000,
    twoHoldersMs: 1_000,
    lasting: true,
    moves: 2,
    blind: true,
  },
  'exhaust-descriptors': failover,
  'exhaust-processes': failover,
  // `vrrp-state.json` is on that disk.
  'fill-disk': { ...harmless, blind: true },
  // One request in three goes to that API server.
  'api-fault': { ...harmless, serviceMs: HUNG_MS, serviceAfterMs: 1_000 },
  'api-lie': { ...harmless, serviceMs: 1_000, serviceAfterMs: 1_000, moves: 1 },
  'api-lie-everywhere': {
    ...harmless,
    serviceMs: 1_000,
    serviceAfterMs: 1_000,
    moves: 1,
    movesAnywhere: true,
  },
  'remove-member': failover,
  // The VIP moves once the order has been read and checked. A request in flight at that moment is lost.
  order: { ...failover, serviceMs: 6_000, serviceAfterMs: 6_000, movesAnywhere: true },
  'by-hand': { ...failover, twoHoldersMs: 1_000, moves: 2 },
};

/** Faults that are not listed must have no visible effect. */
export function boundOf(name: string, variant: string): Bound {
  return bounds[`${name} ${variant}`] ?? boundsOfKinds[name] ?? harmless;
}
