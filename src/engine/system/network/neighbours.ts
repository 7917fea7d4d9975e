import { createSocket } from 'node:dgram';
import { networkInterfaces } from 'node:os';
import * as z from 'zod/mini';
import { messageOf } from '../errors.ts';
import { runLeanCommand } from '../process/run-lean-command.ts';
import { familyOf } from './address-text.ts';
import { changeByIp, listByIp } from './ip-command.ts';

/** Discard (RFC 863): whatever listens there has to throw it away. */
const DISCARD_PORT = 9;
const IP_TIMEOUT_MS = 2_000;

/**
 * Makes the kernel ask the segment for an address that it does not know, by a datagram to it. No program has to receive it, and
 * nothing else of it is waited for.
 */
export function touchNeighbour(address: string): Promise<void> {
  const socket = createSocket(familyOf(address) === 'ipv6' ? 'udp6' : 'udp4');
  return new Promise((resolve) => {
    const done = (): void => {
      socket.close(() => resolve());
    };
    socket.once('error', done);
    socket.send('', DISCARD_PORT, address, done);
  });
}

/**
 * Makes the kernel forget the neighbours on this interface that it has asked for and that have not answered, of both
 * families, with all packets that wait for their answers (up to 3 s). Resolves with what went wrong.
 */
export async function forgetUnanswered(device: string): Promise<string | undefined> {
  const limits = { timeoutMs: IP_TIMEOUT_MS };
  return await changeByIp(['ip', 'neigh', 'flush', 'dev', device, 'nud', 'incomplete'], limits);
}

/** A neighbour that has not answered has no MAC. */
export const answered = z.object({ dst: z.string(), lladdr: z.string() });

/** The addresses that the kernel knows to be at each MAC, of both families; undefined where it cannot be asked. */
export async function readNeighbourTable(
  timeoutMs = IP_TIMEOUT_MS,
): Promise<ReadonlyMap<string, readonly string[]> | undefined> {
  const entries = await listByIp(['neigh', 'show'], answered, timeoutMs);
  return entries && addressesByMac(entries);
}

export function addressesByMac(
  entries: readonly z.infer<typeof answered>[],
): ReadonlyMap<string, readonly string[]> {
  const byMac = Map.groupBy(entries, ({ lladdr }) => lladdr);
  return new Map([...byMac].map(([mac, known]) => [mac, known.map(({ dst }) => dst)]));
}

/** The hardware address that has answered for an address of the local network lately; undefined where none has. */
export async function neighbourOf(address: string, timeoutMs: number): Promise<string | undefined> {
  const table = (await readNeighbourTable(timeoutMs)) ?? [];
  return [...table].find(([, addresses]) => addresses.includes(address))?.[0];
}

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
  return await changeNeighbours(`ask for ${list(anew)}`, input);
}

/** `state`: `REACHABLE`, `STALE`, `DELAY`, `PROBE`, `INCOMPLETE`, `FAILED` and the like. */
const entry = z.object({
  dst: z.string(),
  dev: z.string(),
  lladdr: z.optional(z.string()),
  state: z.optional(z.array(z.string())),
});
export type NeighbourEntry = z.infer<typeof entry>;

/** The kernel's table, of both families; undefined where it cannot be asked. */
export async function listNeighbours(): Promise<readonly NeighbourEntry[] | undefined> {
  return await listByIp(['neigh', 'show'], entry, IP_TIMEOUT_MS);
}

export interface LocatedNeighbour extends Neighbour {
  readonly mac: string;
}

/**
 * Has the kernel send to these MACs until it has asked in vain whether they are still right, which takes it 8 s. A neighbour that
 * speaks from another MAC is found there at once. Resolves with what went wrong.
 */
export async function reviveNeighbours(located: readonly LocatedNeighbour[]): Promise<string | undefined> {
  const revive = ({ address, mac, interface: device }: LocatedNeighbour) =>
    `neigh replace ${address} lladdr ${mac} dev ${device} nud stale\n`;
  return await changeNeighbours(`keep the MAC of ${list(located)}`, located.map(revive).join(''));
}

/** `input`: commands of `ip -batch`. */
async function changeNeighbours(what: string, input: string): Promise<string | undefined> {
  try {
    const argv = ['ip', '-batch', '-'] as const;
    const { exitCode, stderr } = await runLeanCommand(argv, { input, timeoutMs: IP_TIMEOUT_MS });
    if (exitCode === 0) return undefined;
    return `Cannot ${what}: ${stderr.trim().split('\n')[0]}, expected "ip neigh" with CAP_NET_ADMIN`;
  } catch (error) {
    return `Cannot ${what}: ${messageOf(error)}, expected iproute2`;
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
