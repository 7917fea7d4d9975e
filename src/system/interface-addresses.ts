import { networkInterfaces } from 'node:os';
import { messageOf } from '../model/errors.ts';
import { runLeanCommand } from './run-lean-command.ts';

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

export type AddressCommandOutcome = { readonly ok: true } | { readonly ok: false; readonly message: string };

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

/** Removing what is no longer there is no failure. */
export async function removeAddress(found: FoundAddress): Promise<AddressCommandOutcome> {
  return await change(['ip', 'address', 'del', found.cidr, 'dev', found.interface], /Cannot assign/);
}

/** Adding what is there already is no failure. An IPv6 address is usable at once and never chosen as a source. */
export async function addAddress(found: FoundAddress): Promise<AddressCommandOutcome> {
  const options = found.cidr.includes(':') ? ['nodad', 'preferred_lft', '0'] : [];
  return await change(
    ['ip', 'address', 'add', found.cidr, 'dev', found.interface, ...options],
    /File exists/,
  );
}

async function change(argv: readonly [string, ...string[]], fine: RegExp): Promise<AddressCommandOutcome> {
  try {
    const { exitCode, stderr } = await runLeanCommand(argv, { timeoutMs: IP_TIMEOUT_MS });
    if (exitCode === 0 || fine.test(stderr)) return { ok: true };
    return { ok: false, message: `Cannot run "${argv.join(' ')}": ${stderr.trim()}, expected exit code 0` };
  } catch (error) {
    return { ok: false, message: `Cannot run "${argv.join(' ')}": ${messageOf(error)}, expected iproute2` };
  }
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
