import { networkInterfaces } from 'node:os';
import * as z from 'zod/mini';
import { messageOf } from '../errors.ts';
import { runLeanCommand } from '../process/run-lean-command.ts';
import { parseList } from '../text/parse-json.ts';
import { familyOf } from './address-text.ts';

const IP_TIMEOUT_MS = 1_000;

/**
 * The addresses of all interfaces that are up. One netlink request of this process (0.02 ms) is cheap enough for several calls a second, without a
 * child process or a subscription that could miss an event. Omits interfaces without a carrier; `findAddress` finds addresses to remove.
 */
export function presentAddresses(): ReadonlySet<string> {
  const all = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? []);
  return new Set(all.map(({ address }) => address));
}

interface FoundAddress {
  readonly interface: string;
  /** `10.0.0.5/32`, the form that `ip address del` expects. */
  readonly cidr: string;
}

/** The interfaces that have the address, including those that are down. Undefined if `ip` fails or times out. */
export async function findAddress(
  address: string,
  timeoutMs = IP_TIMEOUT_MS,
): Promise<readonly FoundAddress[] | undefined> {
  const links = await listByIp(['address', 'show', 'to', address], link, timeoutMs);
  return links?.flatMap(foundOn);
}

/** Removes the address. Resolves with an error message, or undefined. An address that is already gone is not an error. */
export async function removeAddress({ cidr, interface: device }: FoundAddress): Promise<string | undefined> {
  const limits = { timeoutMs: IP_TIMEOUT_MS, fine: /Cannot assign|address not found/i };
  return await changeByIp(['ip', 'address', 'del', cidr, 'dev', device], limits);
}

/**
 * Adds the address. Resolves with an error message, or undefined. An existing address is not an error. An IPv6 address is usable at once, and never
 * chosen as a source address.
 */
export async function addAddress({ cidr, interface: device }: FoundAddress): Promise<string | undefined> {
  const options = familyOf(cidr) === 'ipv6' ? ['nodad', 'preferred_lft', '0'] : [];
  const limits = { timeoutMs: IP_TIMEOUT_MS, fine: /File exists|address already assigned/i };
  return await changeByIp(['ip', 'address', 'add', cidr, 'dev', device, ...options], limits);
}

/** `ip` prints an empty object for an interface without matching addresses, and for each address that does not match. */
const link = z.object({
  ifname: z.string(),
  addr_info: z.array(z.object({ local: z.optional(z.string()), prefixlen: z.optional(z.number()) })),
});

function foundOn({ ifname, addr_info: addresses }: z.infer<typeof link>): readonly FoundAddress[] {
  const shown = addresses.filter(({ local }) => local !== undefined);
  return shown.map(({ local, prefixlen }) => ({ interface: ifname, cidr: `${local}/${prefixlen}` }));
}

/** Parses the output of `ip -json address show`. Throws if it is not JSON. */
export function parseFound(json: string): readonly FoundAddress[] {
  return parseList(json, link).flatMap(foundOn);
}

interface IpLimits {
  readonly timeoutMs: number;
  /** The error message of `ip` if there was nothing to do. */
  readonly fine?: RegExp;
}

/** Runs an `ip` command that changes something. Resolves with an error message, or undefined. */
export async function changeByIp(
  argv: readonly ['ip', ...string[]],
  { timeoutMs, fine }: IpLimits,
): Promise<string | undefined> {
  try {
    const { exitCode, stderr } = await runLeanCommand(argv, { timeoutMs });
    if (exitCode === 0 || fine?.test(stderr)) return undefined;
    return `Cannot run "${argv.join(' ')}": ${stderr.trim()}, expected exit code 0`;
  } catch (error) {
    return `Cannot run "${argv.join(' ')}": ${messageOf(error)}, expected iproute2`;
  }
}

/** The entries in the output of `ip -json` that match `entry`. Undefined if `ip` fails or times out. */
export async function listByIp<T>(
  args: readonly string[],
  entry: z.ZodMiniType<T>,
  timeoutMs: number,
): Promise<readonly T[] | undefined> {
  try {
    const { exitCode, stdout } = await runLeanCommand(['ip', '-json', ...args], { timeoutMs });
    return exitCode === 0 ? parseList(stdout, entry) : undefined;
  } catch {
    return undefined;
  }
}
