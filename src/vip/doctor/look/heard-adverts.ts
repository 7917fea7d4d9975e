import type { RunProgram } from '../../../engine/examine/run-program.ts';
import { joinVrrpGroup } from '../../../engine/system/network/multicast-membership.ts';
import { advertForm, parseAdverts } from '../../guards/advert-trap.ts';
import type { ForeignAdvert, WatchedRouterId } from '../../guards/foreign-router.ts';
import { trapRuleset } from '../../guards/trap.ts';
import { listenWith } from './listen.ts';

export type AdvertsReading =
  | { readonly kind: 'heard'; readonly foreign: readonly ForeignAdvert[] }
  | { readonly kind: 'failed'; readonly message: string };

/**
 * The hosts that advertise one of these ids without its VIP or in another version of VRRP, or its VIP with another id, by multicast
 * or to this node alone. The firewall does not matter.
 */
export async function hearAdverts(
  run: RunProgram,
  watched: readonly WatchedRouterId[],
  signal: AbortSignal,
): Promise<AdvertsReading> {
  const table = 'netdev hawser_doctor_vrid';
  using members = new DisposableStack();
  for (const each of watched) members.use(joinVrrpGroup(each));
  const trap = { table, ruleset: trapRuleset(table, advertForm, watched) };
  const listened = await listenWith(run, trap, signal);
  return listened.kind === 'failed'
    ? listened
    : { kind: 'heard', foreign: parseAdverts(listened.json, watched) };
}
