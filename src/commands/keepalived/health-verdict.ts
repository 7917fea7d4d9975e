import { type CheckSample, explainFlap, initialFlap, nextFlap } from '../../model/flap-governor.ts';
import { trackValue } from '../../model/track-value.ts';
import type { VipKind, VrrpProfile } from '../../model/vrrp.ts';
import { initialBootstrap, nextBootstrap } from '../../model/vrrp-bootstrap.ts';
import { initialHolding, nextHolding, type VrrpPart } from '../../model/vrrp-holding.ts';
import { monotonicMs } from '../../system/monotonic-clock.ts';
import type { Liveness } from '../../system/watch-liveness.ts';

/** What one kind of VIP is worth on this node: takes in what is seen, gives what belongs into the track file. */
export interface HealthVerdict {
  readonly live: (liveness: Liveness) => void;
  readonly standsIn: (serves: boolean) => void;
  readonly peers: (someServes: boolean) => void;
  /** Samples once more: a damped check is trusted again only after further good looks. */
  readonly look: () => void;
  readonly value: () => number;
  readonly isWell: () => boolean;
  /** It has been looked at. Until then a monitor that was only restarted knows less than the one before it. */
  readonly isKnown: () => boolean;
  readonly explanation: () => string | undefined;
}

export function createHealthVerdict(options: {
  readonly kind: VipKind;
  readonly profile: () => VrrpProfile;
  readonly resigns: boolean;
  /** See `HealthSource.peersAreOpen`. */
  readonly peersAreOpen: boolean;
  /** Another node holds one of the VIPs and stays. */
  readonly mustLeave: () => boolean;
  /** What keepalived of this node is in the instances of these VIPs. */
  readonly part: () => VrrpPart;
  /** See `TrackHealth.addressed`. */
  readonly isAddressed: () => boolean;
}): HealthVerdict {
  const { kind, resigns } = options;
  let liveness: Liveness = 'unknown';
  let flap = initialFlap;
  let bootstrap = initialBootstrap;
  let standIn = false;
  let peersServe = true;
  let peersCount = options.peersAreOpen;
  let holding = initialHolding;
  const holds = (): boolean => {
    holding = nextHolding(holding, options.part(), monotonicMs());
    return holding.kind === 'held';
  };
  const sample = (): void => {
    const seen = sampleOf(liveness);
    if (seen !== undefined) flap = nextFlap(flap, seen, holds(), monotonicMs());
  };
  return {
    live: (next) => {
      liveness = next;
      sample();
    },
    standsIn: (serves) => {
      standIn = serves;
      if (resigns) bootstrap = nextBootstrap(bootstrap, serves);
    },
    peers: (someServes) => {
      peersCount ||= someServes;
      peersServe = someServes || !peersCount;
    },
    look: sample,
    value: () =>
      trackValue({
        ...{ kind, standIn },
        profile: options.profile(),
        service: flap.verdict,
        failedForMs: flap.verdict === 'failed' ? monotonicMs() - flap.sinceMs : 0,
        holder: holds(),
        everyoneFailing: flap.verdict === 'failed' && !standIn && !peersServe,
        resigned: bootstrap.resigned || options.mustLeave(),
        addressed: options.isAddressed(),
      }),
    isWell: () => flap.verdict === 'ok',
    isKnown: () => flap.verdict !== 'unknown',
    explanation: () => explainFlap(flap, monotonicMs()),
  };
}

/** A hang has been seen twice before it is told, so it is as certain as a death. */
function sampleOf(liveness: Liveness): CheckSample | undefined {
  switch (liveness) {
    case 'unknown':
      return undefined;
    case 'serving':
      return { kind: 'ok' };
    case 'dead':
    case 'hung':
      return { kind: 'failed', certain: true };
  }
}
