import { networkInterfaces } from 'node:os';
import { runLeanCommand } from '../process/run-lean-command.ts';
import { changeByIp } from './change-by-ip.ts';

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

export interface FoundAddress {
  readonly interface: string;
  /** `10.0.0.5/32`, as `ip address del` wants it. */
  readonly cidr: string;
}

/** On which interfaces an address is, those that are down included. Undefined where `ip` fails, or not in time. */
export async function findAddress(
  address: string,
  timeoutMs = IP_TIMEOUT_MS,
): Promise<readonly FoundAddress[] | undefined> {
  try {
    const argv = ['ip', '-json', 'address', 'show', 'to', address] as const;
    const result = await runLeanCommand(argv, { timeoutMs });
    return result.exitCode === 0 ? parseFound(result.stdout) : undefined;
  } catch {
    return undefined;
  }
}

/** Resolves with what went wrong. Removing what is no longer there is no failure. */
export async function removeAddress({ cidr, interface: device }: FoundAddress): Promise<string | undefined> {
  const limits = { timeoutMs: IP_TIMEOUT_MS, fine: /Cannot assign/ };
  return await changeByIp(['ip', 'address', 'del', cidr, 'dev', device], limits);
}

/**
 * Resolves with what went wrong. Adding what is there already is no failure. An IPv6 address is usable at once and never
 * chosen as a source.
 */
export async function addAddress({ cidr, interface: device }: FoundAddress): Promise<string | undefined> {
  const options = cidr.includes(':') ? ['nodad', 'preferred_lft', '0'] : [];
  const limits = { timeoutMs: IP_TIMEOUT_MS, fine: /File exists/ };
  return await changeByIp(['ip', 'address', 'add', cidr, 'dev', device, ...options], limits);
}

/** What `ip -json address show` printed: an empty object for each interface that has nothing to show. */
export function parseFound(json: string): readonly FoundAddress[] {
  const parsed: unknown = JSON.parse(json === '' ? '[]' : json);
  if (!Array.isArray(parsed)) return [];
  return parsed.flatMap((link: unknown) => {
    const name = textOf(link, 'ifname');
    const list = fieldOf(link, 'addr_info');
    if (name === undefined || !Array.isArray(list)) return [];
    return list.flatMap((entry: unknown) => {
      const [local, length] = [textOf(entry, 'local'), fieldOf(entry, 'prefixlen')];
      return local === undefined ? [] : [{ interface: name, cidr: `${local}/${String(length)}` }];
    });
  });
}

function fieldOf(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, key) : undefined;
}

function textOf(value: unknown, key: string): string | undefined {
  const field = fieldOf(value, key);
  return typeof field === 'string' ? field : undefined;
}
