import type { RunProgram } from '../../../engine/examine/run-program.ts';
import { joinVrrpGroup } from '../../../engine/system/network/multicast-membership.ts';
import { advertForm, parseAdverts } from '../../guards/advert-trap.ts';
import type { ForeignAdvert, WatchedRouterId } from '../../guards/foreign-router.ts';
import { trapRuleset } from '../../guards/trap.ts';
import { listenWith } from './listen.ts';

/** Not the monitor's, which may be listening for itself. */
const TABLE = 'netdev hawser_doctor_vrid';

export type ForeignAdvertsReading =
  | { readonly kind: 'heard'; readonly adverts: readonly ForeignAdvert[] }
  | { readonly kind: 'failed'; readonly message: string };

/**
 * The hosts that advertise one of these ids without its VIP, or its VIP with another id, by multicast or to this node
 * alone. The firewall does not matter.
 */
export async function hearForeignAdverts(
  run: RunProgram,
  watched: readonly WatchedRouterId[],
  signal: AbortSignal,
): Promise<ForeignAdvertsReading> {
  using members = new DisposableStack();
  for (const each of watched) members.use(joinVrrpGroup(each));
  const trap = { table: TABLE, ruleset: trapRuleset(TABLE, advertForm, watched) };
  const listened = await listenWith(run, trap, signal);
  return listened.kind === 'failed'
    ? listened
    : { kind: 'heard', adverts: parseAdverts(listened.json, watched) };
}
