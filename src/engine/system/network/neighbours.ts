import { createSocket } from 'node:dgram';
import { networkInterfaces } from 'node:os';
import * as z from 'zod/mini';
import { messageOf } from '../errors.ts';
import { runLeanCommand } from '../process/run-lean-command.ts';
import { familyOf } from './address-text.ts';
import { changeByIp, listByIp } from './interface-addresses.ts';

/** The discard service (RFC 863) drops what it receives. */
const DISCARD_PORT = 9;
const IP_TIMEOUT_MS = 2_000;

/**
 * Makes the kernel resolve an unknown neighbour by sending a datagram to the address. No program needs to receive it. Does not wait for an answer.
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
 * Makes the kernel drop all unanswered neighbour entries of this interface, in both families, with the packets queued for them (up to 3 s). Resolves
 * with an error message, or undefined.
 */
export async function forgetUnanswered(device: string): Promise<string | undefined> {
  const limits = { timeoutMs: IP_TIMEOUT_MS };
  return await changeByIp(['ip', 'neigh', 'flush', 'dev', device, 'nud', 'incomplete'], limits);
}

/** A host that answered for an address of a local network. */
export interface Answer {
  readonly address: string;
  readonly mac: string;
}

/** An unanswered entry has no MAC. */
export const answered = z.pipe(
  z.object({ dst: z.string(), lladdr: z.string() }),
  z.transform(({ dst: address, lladdr: mac }): Answer => ({ address, mac })),
);

/** The answered entries of the kernel's table, in both families. Undefined if the table cannot be read. */
export async function readNeighbours(timeoutMs = IP_TIMEOUT_MS): Promise<readonly Answer[] | undefined> {
  return await listByIp(['neigh', 'show'], answered, timeoutMs);
}

export interface Neighbour {
  readonly address: string;
  readonly interface: string;
}

/**
 * Makes the kernel resolve each address of `forced` again, even if it is cached or local, and each address of `others` that is not cached. Does not
 * wait for answers. Resolves with an error message, or undefined.
 */
export async function askNeighbours(
  forced: readonly Neighbour[],
  others: readonly Neighbour[] = [],
): Promise<string | undefined> {
  const resolve = ({ address, interface: device }: Neighbour) =>
    `neigh replace ${address} dev ${device} use\n`;
  // The kernel resolves an entry again only if it considers the neighbour unreachable.
  const forget = ({ address, interface: device }: Neighbour) =>
    `neigh replace ${address} dev ${device} nud failed\n`;
  const input = [...forced.map((each) => forget(each) + resolve(each)), ...others.map(resolve)].join('');
  return await changeNeighbours(`resolve ${list(forced)}`, input);
}

/** `state` is `REACHABLE`, `STALE`, `DELAY`, `PROBE`, `INCOMPLETE`, `FAILED` or the like. */
const entry = z.object({
  dst: z.string(),
  dev: z.string(),
  lladdr: z.optional(z.string()),
  state: z.optional(z.array(z.string())),
});
export type NeighbourEntry = z.infer<typeof entry>;

/** The kernel's table, in both families. Undefined if it cannot be read. */
export async function listNeighbours(): Promise<readonly NeighbourEntry[] | undefined> {
  return await listByIp(['neigh', 'show'], entry, IP_TIMEOUT_MS);
}

export interface LocatedNeighbour extends Neighbour {
  readonly mac: string;
}

/**
 * Makes the kernel use these MACs until their verification times out after 8 s. A neighbour with a new MAC is found at once. Resolves with an error
 * message, or undefined.
 */
export async function reviveNeighbours(located: readonly LocatedNeighbour[]): Promise<string | undefined> {
  const revive = ({ address, mac, interface: device }: LocatedNeighbour) =>
    `neigh replace ${address} lladdr ${mac} dev ${device} nud stale\n`;
  return await changeNeighbours(`keep the MAC of ${list(located)}`, located.map(revive).join(''));
}

/** Runs `input`, commands for `ip -batch`. */
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

/** MACs of this machine's NICs. */
export function ownMacs(): ReadonlySet<string> {
  const all = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? []);
  return new Set(all.map(({ mac }) => mac));
}
