import { type Check, type Finding, fail, ok, skip, unknown, worstOf } from '../../../engine/examine/check.ts';
import { durationText } from '../../../engine/system/text/readable-text.ts';
import { type VrrpInstanceFacts, vrrpFacts } from '../../../keepalived/vrrp-facts.ts';
import { NO_VIP, type VipContext } from '../context.ts';
import { type AdvertsReading, hearAdverts } from '../look/heard-adverts.ts';
import { LISTEN_MS } from '../look/listen.ts';
import { routerIdsOf } from '../look/router-ids.ts';

const AGREE =
  'agree on one for all nodes at one time: advertInterval in the agreement file (docs/upgrade.md); hawser status shows that of each node';

/** The interval in force here beside those that the peers' adverts name. */
export function judgeInterval(
  { name, advertIntervalMs, peers, vips }: VrrpInstanceFacts,
  look: AdvertsReading,
): Finding {
  if (look.kind === 'failed') return unknown(look.message, 'run this as root, with nft installed');
  const heard = look.group.filter(
    ({ vip, source }) => vips.includes(vip) && (peers.length === 0 || peers.includes(source)),
  );
  const own = `${name}: adverts every ${durationText(advertIntervalMs)}`;
  const others = heard.filter(({ intervalMs }) => intervalMs !== advertIntervalMs);
  const said = others.map(
    ({ source, intervalMs }) => `${source} sends them every ${durationText(intervalMs)}`,
  );
  if (said.length > 0) return fail(`${own} by keepalived.conf, and ${[...new Set(said)].join(', ')}`, AGREE);
  return heard.length > 0
    ? ok(`${own}, as its holder sends them`)
    : ok(`${own}; no other node's were heard in ${LISTEN_MS / 1_000} s`);
}

const advertInterval: Check<VipContext> = {
  id: 'advert-interval',
  title: 'The interval of VRRP adverts',
  why: 'A node that waits for adverts of another interval than its holder sends takes the VIP from a healthy one, or takes it too late.',
  listenMs: LISTEN_MS,
  run: async (context, signal) => {
    const { run, files, settings } = context;
    const { version, instances } = vrrpFacts((await files.value(settings.keepalivedConfig)) ?? '');
    if (instances.length === 0) return skip('keepalived.conf is not there, or has no VIP');
    if (version !== 3) return skip('the openshift profile has adverts every second');
    const ids = await routerIdsOf(context);
    const watched = ids.flatMap((each) => (each.kind === 'known' ? each.watched : []));
    if (watched.length === 0) return skip(NO_VIP);
    const look = await hearAdverts(run, watched, 'interval', signal);
    return worstOf(
      instances.map((each) => judgeInterval(each, look)),
      NO_VIP,
    );
  },
};

export const advertIntervalChecks: readonly Check<VipContext>[] = [advertInterval];
