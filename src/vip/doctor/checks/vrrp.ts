import { type Check, type Finding, fail, ok, skip, unknown } from '../../../engine/examine/check.ts';
import { addressesOf } from '../../../engine/system/network/routes.ts';
import { NO_VIP, type VipContext } from '../context.ts';
import { countAdverts, type HeardAdverts } from '../look/adverts.ts';
import { LISTEN_MS } from '../look/listen.ts';
import { LOOK_YOURSELF, lookForAddress } from '../look/own-address.ts';

const LET_IT_IN =
  'nft list ruleset (or iptables -S) names the rule; put before it: meta l4proto 112 accept (docs/install.md)';

interface AdvertsView {
  readonly seen: HeardAdverts;
  readonly isHolder: boolean;
  /** Whether hawser's keepalived runs here. */
  readonly isLive: boolean;
  /** Addresses of the other nodes; empty where they are not known. */
  readonly peers: readonly string[];
}

/** Only the holder sends adverts, so the proof depends on the holder. */
export function judgeAdverts({ seen, isHolder, isLive, peers }: AdvertsView): Finding {
  if (seen.kind === 'failed') return unknown(seen.message, 'run this as root, with nft installed');
  const known = (list: readonly string[]): readonly string[] =>
    peers.length === 0 ? list : list.filter((address) => peers.includes(address));
  const [came, passed] = [known(seen.came), known(seen.passed)];
  const lost = came.filter((address) => !passed.includes(address));
  if (lost.length > 0)
    return fail(`adverts of ${lost.join(', ')} come to this node and its firewall drops them`, LET_IT_IN);
  if (isHolder && passed.length > 0)
    return fail(
      `this node has the VIP and ${passed.join(', ')} sends adverts as well: two holders`,
      'hawser keepalived status on both; compare interface, router id and peers in keepalived.conf',
    );
  if (passed.length > 0) return ok(`adverts of ${passed.join(', ')} arrive`);
  if (isHolder && seen.sent > 0 && seen.left === 0)
    return fail('adverts of this node are dropped on their way out', LET_IT_IN);
  if (isHolder && seen.left > 0)
    return ok('this node holds the VIP and its adverts leave; whether they arrive, ask the others');
  if (isHolder)
    return fail(
      'this node has the VIP and sends no adverts',
      'hawser keepalived status; the VIP may be stale: ip -br address',
    );
  if (isLive)
    return fail(
      `keepalived runs here, is no holder, and no advert came within ${LISTEN_MS / 1_000} s`,
      'on the holder: hawser doctor --only vrrp-adverts; then the network between (security groups: IP protocol 112)',
    );
  return skip('keepalived does not run here, and no host sends adverts to this node');
}

const adverts: Check<VipContext> = {
  id: 'vrrp-adverts',
  title: 'VRRP adverts of the holder',
  why: 'Clouds and firewalls silently drop IP protocol 112; then each node takes itself for the only one.',
  listenMs: LISTEN_MS,
  run: async ({ run, settings, readings }, signal) => {
    const vips = await readings.vips();
    if (vips.length === 0) return skip(NO_VIP);
    const own = addressesOf(readings.interfaces());
    const [seen, here, live, peers] = await Promise.all([
      countAdverts(run, own, signal),
      Promise.all(vips.map((vip) => lookForAddress(run, vip, signal))),
      readings.supervisor('keepalived', settings.keepalivedSocket),
      readings.peers(),
    ]);
    for (const each of here) if (each.kind === 'failed') return unknown(each.message, LOOK_YOURSELF);
    return judgeAdverts({
      seen,
      isHolder: here.every((each) => each.kind === 'looked' && each.interfaces.length > 0),
      isLive: live.kind === 'answered',
      peers: peers.kind === 'known' ? peers.peers.map(({ address }) => address) : [],
    });
  },
};

export const vrrpChecks: readonly Check<VipContext>[] = [adverts];
