import { networkInterfaces } from 'node:os';
import * as z from 'zod/mini';
import { parseList } from '../text/parse-json.ts';
import { familyOf } from './address-text.ts';
import { changeByIp, listByIp } from './ip-command.ts';

const IP_TIMEOUT_MS = 1_000;

/**
 * The addresses of all interfaces that are up. One netlink question of this process (0.02 ms), so that it may be asked
 * several times a second: no child, no subscription that could miss something. Interfaces without a carrier are left
 * out; what is there to be removed is found by `findAddress`.
 */
export function presentAddresses(): ReadonlySet<string> {
  const all = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? []);
  return new Set(all.map(({ address }) => address));
}

interface FoundAddress {
  readonly interface: string;
  /** `10.0.0.5/32`, as `ip address del` wants it. */
  readonly cidr: string;
}

/** On which interfaces an address is, those that are down included. Undefined where `ip` fails, or not in time. */
export async function findAddress(
  address: string,
  timeoutMs = IP_TIMEOUT_MS,
): Promise<readonly FoundAddress[] | undefined> {
  const links = await listByIp(['address', 'show', 'to', address], link, timeoutMs);
  return links?.flatMap(foundOn);
}

/** Resolves with what went wrong. It is no failure if the address is already gone. */
export async function removeAddress({ cidr, interface: device }: FoundAddress): Promise<string | undefined> {
  const limits = { timeoutMs: IP_TIMEOUT_MS, fine: /Cannot assign/ };
  return await changeByIp(['ip', 'address', 'del', cidr, 'dev', device], limits);
}

/**
 * Resolves with what went wrong. Adding what is there already is no failure. An IPv6 address is usable at once and never
 * chosen as a source.
 */
export async function addAddress({ cidr, interface: device }: FoundAddress): Promise<string | undefined> {
  const options = familyOf(cidr) === 'ipv6' ? ['nodad', 'preferred_lft', '0'] : [];
  const limits = { timeoutMs: IP_TIMEOUT_MS, fine: /File exists/ };
  return await changeByIp(['ip', 'address', 'add', cidr, 'dev', device, ...options], limits);
}

/** An empty object is an interface that has nothing to show, or one of its addresses that was not asked for. */
const link = z.object({
  ifname: z.string(),
  addr_info: z.array(z.object({ local: z.optional(z.string()), prefixlen: z.optional(z.number()) })),
});

function foundOn({ ifname, addr_info: addresses }: z.infer<typeof link>): readonly FoundAddress[] {
  const shown = addresses.filter(({ local }) => local !== undefined);
  return shown.map(({ local, prefixlen }) => ({ interface: ifname, cidr: `${local}/${prefixlen}` }));
}

/** What `ip -json address show` printed. Throws where that is no JSON. */
export function parseFound(json: string): readonly FoundAddress[] {
  return parseList(json, link).flatMap(foundOn);
}
