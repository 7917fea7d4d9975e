import { chooseVipInterface } from '../../model/vip-interface.ts';
import type { Check, Finding } from '../check.ts';
import { fail, ok, skip, unknown, warn, worstOf } from '../check.ts';
import type { DoctorContext } from '../context.ts';
import { type AdvertsLook, countAdverts } from '../look/adverts.ts';
import { LISTEN_MS } from '../look/listen.ts';
import { LOOK_YOURSELF, lookForAddress } from '../look/own-address.ts';
import { type Fate, fateOf, parseRuleset, type Ruleset } from '../look/packet-fate.ts';
import { lastWords } from '../run-program.ts';
import { NO_VIP } from './vip.ts';

export const VRRP_PROTOCOL = 112;
const LET_IT_IN =
  'the rule is named by: hawser doctor --only vrrp-firewall; before it: meta l4proto 112 accept';

export interface VrrpPath {
  readonly vip: string;
  readonly device: string | undefined;
  readonly peer: string | undefined;
}

/** What this node's own rules would do with an advert from a peer, and with one of ours. */
export function judgeRules(rules: Ruleset, { vip, device, peer }: VrrpPath): Finding {
  const family = vip.includes(':') ? 'ip6' : 'ip';
  const advert = { family, protocol: VRRP_PROTOCOL, device } as const;
  const inward = fateOf(rules, 'input', { ...advert, source: peer, destination: undefined });
  const outward = fateOf(rules, 'output', { ...advert, source: undefined, destination: peer });
  const about = peer === undefined ? '' : ` ${peer}`;
  return worstOf(
    [
      judgeFate(`protocol 112 from${about || ' peers'}`, inward),
      judgeFate(`protocol 112 to${about || ' peers'}`, outward),
    ],
    '',
  );
}

function judgeFate(what: string, fate: Fate): Finding {
  switch (fate.kind) {
    case 'accepted':
      return ok(`${what} passes`);
    case 'dropped':
      return fail(
        `${what} is dropped by ${fate.by}`,
        `nft insert rule ${fate.chain} meta l4proto 112 accept (and where that ruleset is kept)`,
      );
    case 'maybe-dropped':
      return warn(
        `${what} may be dropped by ${fate.by}`,
        'read that rule (nft list ruleset); check vrrp-adverts looks at what arrives',
      );
  }
}

async function paths(context: DoctorContext): Promise<readonly VrrpPath[]> {
  const { looks, settings } = context;
  const [vips, routes, peers] = await Promise.all([looks.vips(), looks.routes(), looks.peers()]);
  const addresses = peers.kind === 'known' ? peers.peers.map(({ address }) => address) : [];
  return vips.flatMap((vip) => {
    const on = chooseVipInterface(vip, looks.interfaces(), routes, settings.interface);
    const device = on.kind === 'chosen' ? on.name : undefined;
    const same = addresses.filter((address) => address.includes(':') === vip.includes(':'));
    return (same.length === 0 ? [undefined] : same).map((peer) => ({ vip, device, peer }));
  });
}

const rules: Check = {
  id: 'vrrp-firewall',
  title: 'Firewall rules and VRRP',
  why: 'A node that hears no adverts takes the VIP although another node has it: two holders.',
  run: async (context, signal) => {
    const listing = await context.run(['nft', '-j', 'list', 'ruleset'], signal);
    if (listing.kind !== 'ran') return unknown(listing.message, 'see check nft');
    if (listing.exitCode !== 0) return unknown(`nft may not look: ${lastWords(listing)}`, 'run this as root');
    const ruleset = parseRuleset(listing.stdout);
    if (ruleset === undefined) return unknown('the output of nft is no ruleset', 'nft -j list ruleset');
    const legacy = (await context.files.value('/proc/net/ip_tables_names')) ?? '';
    if (legacy.split(/\s+/).includes('filter'))
      return warn(
        'rules of iptables-legacy are loaded, which are not looked at',
        'iptables-legacy -S; move them to nft',
      );
    return worstOf(
      (await paths(context)).map((path) => judgeRules(ruleset, path)),
      NO_VIP,
    );
  },
};

export interface AdvertsView {
  readonly seen: AdvertsLook;
  readonly isHolder: boolean;
  /** Whether hawser's keepalived runs here. */
  readonly isLive: boolean;
  /** Addresses of the other nodes; empty where they are not known. */
  readonly peers: readonly string[];
}

/** VRRP is spoken by the holder alone, so what can be proven depends on who that is. */
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
      'on the holder: hawser doctor --only vrrp-firewall; then the network between (security groups: IP protocol 112)',
    );
  return skip('keepalived does not run here, and nobody sends adverts to this node');
}

const adverts: Check = {
  id: 'vrrp-adverts',
  title: 'VRRP adverts of the holder',
  why: 'Clouds and firewalls drop IP protocol 112 without a word; then each node believes to be alone.',
  listenMs: LISTEN_MS,
  run: async ({ run, looks }, signal) => {
    const vips = await looks.vips();
    if (vips.length === 0) return skip(NO_VIP);
    const own = looks
      .interfaces()
      .flatMap(({ addresses }) => addresses.flatMap((cidr) => cidr.split('/')[0] ?? []));
    const [seen, here, live, peers] = await Promise.all([
      countAdverts(run, own, signal),
      Promise.all(vips.map((vip) => lookForAddress(run, vip, signal))),
      looks.keepalivedSupervisor(),
      looks.peers(),
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

export const vrrpChecks: readonly Check[] = [rules, adverts];
