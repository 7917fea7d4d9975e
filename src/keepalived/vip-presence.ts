/** The state that keepalived reports; `UNKNOWN` until it has reported one. */
export type VrrpState = 'MASTER' | 'BACKUP' | 'FAULT' | 'STOP' | 'UNKNOWN';

/** An address that moves between nodes, and its interface on this node. */
export interface HeldAddress {
  /** Canonical, without a prefix length. */
  readonly address: string;
  readonly prefixLength: number;
  readonly interface: string;
}

/** A VRRP instance of keepalived.conf. */
export interface WatchedInstance {
  readonly name: string;
  /** Undefined without a usable `virtual_router_id`, which keepalived refuses. */
  readonly virtualRouterId: number | undefined;
  /** The addresses in `unicast_peer`. */
  readonly peers: readonly string[];
  readonly vips: readonly HeldAddress[];
  /** The time from the last advert of a dead holder to the take-over by the slowest peer, with a margin. */
  readonly masterDownMs: number;
}

/** The state of an instance. `since` is monotonic milliseconds. */
export interface InstanceState {
  readonly name: string;
  readonly state: VrrpState;
  /** The effective priority, including track files and scripts. */
  readonly priority: number;
  readonly since: number;
}

/** An address whose presence on this node contradicts the state of its instance. */
export interface Disagreement {
  readonly kind: 'missing' | 'stray';
  readonly instance: string;
  readonly state: VrrpState;
  readonly vip: HeldAddress;
}

/** keepalived reports a transition and changes the address at slightly different moments. */
const SETTLED_AFTER_MS = 250;

/**
 * Compares the desired addresses of this node (a VIP if and only if its instance is MASTER) with the actual ones. Ignores instances whose
 * state has just changed, because keepalived may still be changing the address, and instances without a known state. A caller should
 * repair only a disagreement that it has observed twice.
 */
export function disagreements(
  watched: readonly WatchedInstance[],
  states: readonly InstanceState[],
  present: ReadonlySet<string>,
  now: number,
): readonly Disagreement[] {
  const settled = new Map(
    states
      .filter(({ state, since }) => state !== 'UNKNOWN' && now - since >= SETTLED_AFTER_MS)
      .map(({ name, state }) => [name, state]),
  );
  return watched.flatMap(({ name, vips }) => {
    const state = settled.get(name);
    if (state === undefined) return [];
    const isDesired = state === 'MASTER';
    return vips
      .filter(({ address }) => present.has(address) !== isDesired)
      .map((vip) => ({
        kind: isDesired ? ('missing' as const) : ('stray' as const),
        instance: name,
        state,
        vip,
      }));
  });
}
