import { monotonicMs } from '../../engine/system/time/monotonic-clock.ts';
import { notedPermission } from '../../keepalived/noted-permission.ts';
import type { VrrpConfiguration } from '../configuration/vrrp-configuration.ts';
import type { VipUse } from '../guards/vip-use.ts';
import type { VipUseWatch } from '../guards/vip-use-watch.ts';

/**
 * A returning node with its old keepalived.conf must not take part before its monitor knows the other nodes. If no API
 * server answers for this long it takes part all the same: a node with an old list is better than no VIP.
 */
const JOIN_PATIENCE_MS = 10_000;
/**
 * The patience when no API server can have given any node a list, and every other node of the group is back: nobody is left
 * to wait for. An API server that comes up meanwhile ends it, as its port refuses no more.
 */
const REUNITED_PATIENCE_MS = 1_500;
/** The patience when an API server has answered but its list is not believed yet: three polls have to agree. */
const UNDECIDED_PATIENCE_MS = 30_000;

/**
 * For so long without a gap a node that was not listed has to hear the holder. The holder forgets a node three seconds after it
 * has seen the list without it, and a starved one needs some more for the reload: a node that trusted the adverts from before that
 * would be a second holder until the holder has taken it up again.
 */
const HEARD_AGAIN_MS = 10_000;

/** For so long at most a node that was not listed waits for the segment, if that cannot be asked: nft is slow on a starved node. */
const UNSEEN_PATIENCE_MS = 30_000;

/** Whether this node's health may be written, so that it takes part. */
export type Permission =
  | { readonly kind: 'given' }
  | { readonly kind: 'waiting' }
  /** It has waited long enough, but these other hosts hold the VIP and send it no adverts. */
  | { readonly kind: 'held-elsewhere'; readonly holders: readonly string[] };

/**
 * After a boot keepalived stays in FAULT until its configuration is confirmed. A node that cannot confirm it takes part
 * after a while, unless another host holds the VIP and sends it no adverts: then it is most likely no member any more. A
 * monitor that was only restarted goes on where it was, by what the last one has noted. A node that no API server listed starts
 * over once it is listed, and waits until the holder of the VIP has sent it adverts for a while, or nobody holds the VIP: the
 * other nodes may see in their lists that it was gone, and that it is back, later than the node itself does.
 */
export function createPermission(
  trackFile: string,
  {
    isConfirmed,
    isExcluded,
    isUndecided,
    isReunited,
  }: Pick<VrrpConfiguration, 'isConfirmed' | 'isExcluded' | 'isUndecided'> & {
    /** See `isReunited` of `look-at-peers.ts`. */
    readonly isReunited: () => boolean;
  },
  segment: { readonly [K in 'look' | 'forget']: () => ReturnType<VipUseWatch[K]> },
  nowMs: () => number = monotonicMs,
): () => Permission {
  let sinceMs = nowMs();
  const noted = notedPermission(trackFile);
  let isGiven = noted === 'given';
  /** The others have forgotten this node, and may not know it again yet, however long it has been listed. */
  let isForgotten = noted === 'refused';
  return () => {
    if (isExcluded()) {
      isGiven = false;
      isForgotten = true;
      sinceMs = nowMs();
      segment.forget();
      return { kind: 'waiting' };
    }
    isGiven ||= isConfirmed() && !isForgotten;
    if (isGiven) return { kind: 'given' };
    const use = segment.look();
    const waitedMs = nowMs() - sinceMs;
    const isReturn = use.kind === 'clear' && !isForgotten && isReunited();
    const patienceMs = isConfirmed() ? 0 : unconfirmedPatienceMs(isUndecided(), isReturn);
    if (waitedMs < patienceMs || use.kind === 'unknown') return { kind: 'waiting' };
    if (use.kind === 'elsewhere') return { kind: 'held-elsewhere', holders: use.holders };
    if (isForgotten && isTooSoon(use, waitedMs)) return { kind: 'waiting' };
    isGiven = true;
    isForgotten = false;
    return { kind: 'given' };
  };
}

/** Of a node that the holder may still forget late. */
function isTooSoon(use: Extract<VipUse, { kind: 'clear' | 'unseen' }>, waitedMs: number): boolean {
  return use.kind === 'clear' ? use.heardForMs < HEARD_AGAIN_MS : waitedMs < UNSEEN_PATIENCE_MS;
}

function unconfirmedPatienceMs(isUndecided: boolean, isReturn: boolean): number {
  if (isUndecided) return UNDECIDED_PATIENCE_MS;
  return isReturn ? REUNITED_PATIENCE_MS : JOIN_PATIENCE_MS;
}
