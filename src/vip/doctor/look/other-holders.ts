import type { RunProgram } from '../../../engine/examine/run-program.ts';
import { askNeighbours, ownMacs } from '../../../engine/system/network/neighbours.ts';
import { type AskedVip, answerForm, parseAnswers } from '../../guards/answer-trap.ts';
import { trapRuleset } from '../../guards/trap.ts';
import { listenWith } from './listen.ts';

type OtherHolders =
  /** The link-layer addresses that answered for it; this node's own are left out. */
  | { readonly kind: 'heard'; readonly macs: readonly string[] }
  | { readonly kind: 'failed'; readonly message: string };

/** Which other hosts answer for a VIP that this node has. The kernel does not ask for an address of its own by itself. */
export async function hearOtherHolders(
  run: RunProgram,
  asked: AskedVip,
  signal: AbortSignal,
): Promise<OtherHolders> {
  // One table a VIP: they are asked for at the same time. Not the monitor's, which asks for itself.
  const table = `netdev hawser_doctor_vip_${asked.vip.replace(/[^0-9a-f]/g, '_')}`;
  const trap = { table, ruleset: trapRuleset(table, answerForm, [asked]) };
  const question = { address: asked.vip, interface: asked.interface };
  const listened = await listenWith(run, trap, signal, () => askNeighbours([question]));
  if (listened.kind === 'failed') return listened;
  const own = ownMacs();
  const macs = parseAnswers(listened.json).map(({ mac }) => mac);
  return { kind: 'heard', macs: [...new Set(macs)].filter((mac) => !own.has(mac)) };
}
