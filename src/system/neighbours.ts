import { networkInterfaces } from 'node:os';
import { messageOf } from '../model/errors.ts';
import { runCommand } from './run-command.ts';

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

/** The addresses that the kernel knows to be at each MAC, of both families; empty where it cannot be asked. */
export async function knownNeighbours(): Promise<ReadonlyMap<string, readonly string[]>> {
  try {
    const { stdout } = await runCommand(['ip', '-json', 'neigh', 'show'], { timeoutMs: IP_TIMEOUT_MS });
    return parseNeighbours(stdout);
  } catch {
    return new Map();
  }
}

/** What `ip -json neigh show` printed. Exported for its test. */
export function parseNeighbours(json: string): ReadonlyMap<string, readonly string[]> {
  const entries: unknown = JSON.parse(json === '' ? '[]' : json);
  const found = new Map<string, readonly string[]>();
  for (const entry of Array.isArray(entries) ? entries : []) {
    if (typeof entry !== 'object' || entry === null || !('dst' in entry) || !('lladdr' in entry)) continue;
    const { dst, lladdr } = entry;
    if (typeof dst === 'string' && typeof lladdr === 'string')
      found.set(lladdr, [...(found.get(lladdr) ?? []), dst]);
  }
  return found;
}

/** Of this machine's network cards. */
export function ownMacs(): ReadonlySet<string> {
  const all = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? []);
  return new Set(all.map(({ mac }) => mac));
}
