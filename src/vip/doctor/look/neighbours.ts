import * as z from 'zod/mini';
import { lastWords, type RunProgram } from '../../../engine/examine/run-program.ts';
import { touchNeighbour } from '../../../engine/system/network/neighbours.ts';
import { parseJson } from '../../../engine/system/text/parse-json.ts';
import { sleep } from '../../../engine/system/time/sleep.ts';

const LOOK_EVERY_MS = 100;
/** A present host answers within milliseconds. */
const LONGEST_WAIT_MS = 800;

const entries = z.array(
  z.looseObject({ lladdr: z.optional(z.string()), state: z.optional(z.array(z.string())) }),
);

type NeighbourAnswer =
  | { readonly kind: 'asked'; readonly mac: string | undefined }
  | { readonly kind: 'failed'; readonly message: string };

/**
 * The host that has an address on this segment now (ARP or NDP). The kernel asks: its entry is removed first, because
 * it may be minutes old, and a datagram makes it ask again. Needs root.
 */
export async function askNeighbour(
  run: RunProgram,
  address: string,
  device: string,
  signal: AbortSignal,
): Promise<NeighbourAnswer> {
  const forgotten = await run(['ip', 'neigh', 'flush', 'to', address, 'dev', device], signal);
  if (forgotten.kind !== 'ran') return { kind: 'failed', message: forgotten.message };
  if (forgotten.exitCode !== 0) return { kind: 'failed', message: `ip neigh flush: ${lastWords(forgotten)}` };
  return { kind: 'asked', mac: await knownNeighbour(run, address, device, signal) };
}

/** The link-layer address of a neighbour, which may be in the kernel's table already. Undefined if no host answers. */
export async function knownNeighbour(
  run: RunProgram,
  address: string,
  device: string,
  signal: AbortSignal,
): Promise<string | undefined> {
  await touchNeighbour(address);
  const end = performance.now() + LONGEST_WAIT_MS;
  do {
    const shown = await run(['ip', '-json', 'neigh', 'show', 'to', address, 'dev', device], signal);
    const mac = shown.kind === 'ran' ? neighbourOf(shown.stdout) : undefined;
    if (mac !== undefined) return mac;
    await sleep(LOOK_EVERY_MS, signal);
  } while (performance.now() < end && !signal.aborted);
  return undefined;
}

export function neighbourOf(json: string): string | undefined {
  const parsed = entries.safeParse(parseJson(json));
  const [entry] = parsed.success ? parsed.data : [];
  return entry?.state?.some((state) => state === 'FAILED' || state === 'INCOMPLETE')
    ? undefined
    : entry?.lladdr;
}
