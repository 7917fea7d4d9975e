/** What keepalived says of itself; `UNKNOWN` until it has said something. */
export type VrrpState = 'MASTER' | 'BACKUP' | 'FAULT' | 'STOP' | 'UNKNOWN';

/** An address that moves between nodes, and the interface that it belongs on here. */
export interface HeldAddress {
  /** Canonical, without a prefix length. */
  readonly address: string;
  readonly prefixLength: number;
  readonly interface: string;
}

/** What a VRRP instance is about, as keepalived.conf says. */
export interface WatchedInstance {
  readonly name: string;
  readonly vips: readonly HeldAddress[];
  /** From the last advert of a holder that died to the take-over by the slowest peer, with a margin. */
  readonly masterDownMs: number;
}

/** An instance's state since a moment of the monotonic clock. */
export interface InstanceState {
  readonly name: string;
  readonly state: VrrpState;
  /** The effective one: with what track files and scripts add. */
  readonly priority: number;
  readonly since: number;
}

/** An address that is where it should not be, or is not where it should be. */
export interface Disagreement {
  readonly kind: 'missing' | 'stray';
  readonly instance: string;
  readonly state: VrrpState;
  readonly vip: HeldAddress;
}

/** keepalived reports a transition and changes the address at slightly different moments. */
const SETTLED_AFTER_MS = 250;

/**
 * Compares the desired addresses of this node (a VIP if and only if its instance is MASTER) with the actual ones.
 * Leaves out an instance that has just changed or is unknown, since keepalived is at work there. A caller should repair
 * only what it has seen twice.
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
    const wanted = state === 'MASTER';
    return vips
      .filter(({ address }) => present.has(address) !== wanted)
      .map((vip) => ({
        kind: wanted ? ('missing' as const) : ('stray' as const),
        instance: name,
        state,
        vip,
      }));
  });
}
