import { lastWords, type RunProgram } from '../../../engine/examine/run-program.ts';
import { messageOf } from '../../../engine/system/errors.ts';
import { parseFound } from '../../../engine/system/network/interface-addresses.ts';

type OwnAddress =
  /** The interfaces of this node that have it, those that are down included. */
  | { readonly kind: 'looked'; readonly interfaces: readonly string[] }
  | { readonly kind: 'failed'; readonly message: string };

/** The remedy if the look failed. */
export const LOOK_YOURSELF = 'ip address show, with iproute2 installed; then try again';

/** Which interface of this node has an address. A failed look is distinguished from a missing address. */
export async function lookForAddress(
  run: RunProgram,
  address: string,
  signal: AbortSignal,
): Promise<OwnAddress> {
  const shown = await run(['ip', '-json', 'address', 'show', 'to', address], signal);
  if (shown.kind !== 'ran') return { kind: 'failed', message: shown.message };
  if (shown.exitCode !== 0) return { kind: 'failed', message: `ip address show: ${lastWords(shown)}` };
  try {
    return { kind: 'looked', interfaces: parseFound(shown.stdout).map((found) => found.interface) };
  } catch (error) {
    return { kind: 'failed', message: `ip address show: ${messageOf(error)}` };
  }
}
