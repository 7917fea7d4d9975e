import { networkInterfaces } from 'node:os';
import { messageOf } from '../errors.ts';
import { runCommand } from '../process/run-command.ts';

const IP_TIMEOUT_MS = 2_000;

export interface Neighbour {
  readonly address: string;
  readonly interface: string;
}

/**
 * Has the kernel ask the segment for each of `anew`, whatever it knows, also where the address is one of its own, and
 * for each of `known` unless it knows the answer. Nothing is waited for. Resolves with what went wrong.
 */
export async function askNeighbours(
  anew: readonly Neighbour[],
  known: readonly Neighbour[] = [],
): Promise<string | undefined> {
  const ask = ({ address, interface: device }: Neighbour) => `neigh replace ${address} dev ${device} use\n`;
  // The kernel asks again only for what it takes to be unreachable.
  const forget = ({ address, interface: device }: Neighbour) =>
    `neigh replace ${address} dev ${device} nud failed\n`;
  const input = [...anew.map((each) => forget(each) + ask(each)), ...known.map(ask)].join('');
  try {
    const argv = ['ip', '-batch', '-'] as const;
    const { exitCode, stderr } = await runCommand(argv, { input, timeoutMs: IP_TIMEOUT_MS });
    if (exitCode === 0) return undefined;
    return `Cannot ask for ${list(anew)}: ${stderr.trim().split('\n')[0]}, expected "ip neigh" with CAP_NET_ADMIN`;
  } catch (error) {
    return `Cannot ask for ${list(anew)}: ${messageOf(error)}, expected iproute2`;
  }
}

function list(neighbours: readonly Neighbour[]): string {
  return neighbours.map(({ address }) => `"${address}"`).join(', ');
}

/** Of this machine's network cards. */
export function ownMacs(): ReadonlySet<string> {
  const all = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? []);
  return new Set(all.map(({ mac }) => mac));
}
