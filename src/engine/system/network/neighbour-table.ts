import { createSocket } from 'node:dgram';
import { runLeanCommand } from '../process/run-lean-command.ts';
import { changeByIp } from './change-by-ip.ts';

/** Discard (RFC 863): whatever listens there has to throw it away. */
const DISCARD_PORT = 9;
const IP_TIMEOUT_MS = 2_000;

/**
 * Makes the kernel ask the segment for an address that it does not know, by a datagram to it. No program has to receive it, and
 * nothing else of it is waited for.
 */
export function touchNeighbour(address: string): Promise<void> {
  const socket = createSocket(address.includes(':') ? 'udp6' : 'udp4');
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

/** The addresses that the kernel knows to be at each MAC, of both families; undefined where it cannot be asked. */
export async function readNeighbourTable(
  timeoutMs = IP_TIMEOUT_MS,
): Promise<ReadonlyMap<string, readonly string[]> | undefined> {
  try {
    const { exitCode, stdout } = await runLeanCommand(['ip', '-json', 'neigh', 'show'], { timeoutMs });
    return exitCode === 0 ? parseNeighbours(stdout) : undefined;
  } catch {
    return undefined;
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
